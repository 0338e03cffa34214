package synth

import "strings"

// concept is what an argument is about. The tool's effect then decides which
// role a concept has; see [roleOf].
type concept uint8

const (
	cUnknown  concept = iota
	cPerson           // someone who receives, is granted, is assigned, or is looked up
	cAccount          // an account, a wallet, a card: what pays or is paid
	cPlace            // a container: repository, channel, project, calendar, table
	cPath             // a file or directory
	cLocator          // a URL, or something else that is contacted
	cHost             // the host part of a locator
	cSecret           // a secret value
	cCode             // what is executed
	cSql              // what a database executes
	cManifest         // a full description of what shall be
	cImage            // a container image, a chart: where code comes from
	cText             // what people read
	cData             // values, properties, payloads
	cName             // a name: of a new object, or of one that exists
	cTagging          // tags and labels
	cQuery            // text to search for
	cPattern          // filters, globs, ranges
	cOld              // text that locates a replacement
	cWhen             // times
	cMoney            // how much money
	cQuantity         // how many of something
	cLimit            // how many results, which page
	cLook             // formats, orders, looks
	cOption           // a switch or a setting that changes what happens
	cAudience         // who may see or do it: visibility, permission
	cDeed             // a verb
	cKind             // a type, a status, a category
	cObject           // the id of an object
	cPart             // a part of an object: cell, line, sheet, element
	cPort             // a port number
	cGeo              // a place on earth
)

var conceptNames = [...]string{
	"unknown", "a person or address", "an account", "a container", "a file path", "an address that is contacted",
	"a host", "a secret", "code", "SQL", "a manifest", "an image or package", "text", "data", "a name", "a label",
	"search text", "a filter", "text to be found", "a time", "an amount of money", "a quantity", "a limit", "a format",
	"a setting", "an audience or permission", "an operation", "a kind or status", "an object's id",
	"a part of an object", "a port", "a place on earth",
}

func (c concept) String() string { return conceptNames[c] }

// noun is what a word in an argument's name is evidence for, and how much.
type noun struct {
	concept concept
	weight  int
}

// Weights. A word that means one thing nearly always is strong; a word that
// needs a look at the description is weak.
const (
	certain = 95
	strong  = 80
	fair    = 60
	weak    = 40
	faint   = 20
)

// nouns is the lexicon of the nouns that name arguments.
var nouns = nounTable([]nounRow{
	{cPerson, strong, `recipient participant attendee invitee assignee reviewer watcher collaborator cc bcc
		guest addressee approver subscriber follower mailto delegate respondent handler
		mention audience`},
	{cPerson, fair, `biller hotel restaurant company airline carrier lender broker email member contact
		owner user admin administrator username person people customer employee phone address client sender
		author reporter creator colleague friend driver doctor patient tenant manager login
		handle responsible merchant provider vendor supplier seller buyer applicant advisor
		principal grantee requester persona participantid behalf`},
	{cAccount, strong, `iban account wallet card bic swift creditcard payer sortcode routing portfolio
		accountnumber paymentmethod`},
	{cAccount, fair, `payment bank billing fund funding`},
	{cPlace, strong, `repository channel project space workspace organization team namespace database
		table board calendar bucket parent destination collection dataset notebook
		datasource schema cluster guild forum addressbook phonebook remote`},
	{cPlace, fair, `thread room group page queue list domain section branch base context playlist
		mailbox inbox sprint epic pipeline environment subscription server site store
		catalog shelf album portal app application device target vault keyspace into desk
		chat conversation network intersection`},
	{cPath, strong, `path filepath directory folder file filename dirname pathname outfile infile
		outputfile root cwd workdir worktree basedir savepath`},
	{cLocator, strong, `url uri link endpoint webhook href website callback baseurl homepage feed permalink
		websocket`},
	{cHost, strong, `host hostname ip ipaddress fqdn hosts proxy`},
	{cPort, strong, `port`},
	{cSecret, certain, `password secret credential otp cvv cvc passkey apikey privatekey token totp mfa
		connectionstring`},
	{cSecret, weak, `pin ssn`},
	{cCode, strong, `command script javascript js python bash shell cmdline argv stdin program snippet
		lambda`},
	{cCode, fair, `code function formula expression statement prompt instruction argument hook
		entrypoint macro eval mutation transformation module`},
	{cSql, certain, `sql ddl cypher sparql promql graphql migration`},
	{cManifest, strong, `manifest yaml playbook terraform dockerfile crd patch`},
	{cManifest, weak, `resource spec template definition`},
	{cImage, weak, `image package chart`},
	{cText, strong, `body content text message subject title description summary comment note caption bio
		headline paragraph markdown html remark reason feedback insight thought observation
		transcript memo narrative bodytext review explanation signature tooltip abstract
		goal`},
	{cText, fair, `worklog estimate topic street zip postal firstname lastname surname nickname
		greeting emoji reaction icon cover story answer question response input line1
		replacement word sentence rows preference fact knowledge entity relation hobby
		allergy symptom commitmessage changelog todo item task rationale detail`},
	{cData, fair, `data payload value property field attribute entry record metadata variable parameter
		json xml csv dict information base64 bytes blob child children row document extra
		additional header form series fields product binary block edit change update
		passenger`},
	{cPath, fair, `attachment upload`},
	{cName, fair, `name alias`},
	{cTagging, fair, `tag label keyword component hashtag`},
	{cQuery, fair, `query search term needle searchterm lookup`},
	{cPattern, strong, `filter pattern glob regex selector jql cql where condition exclude criteria
		predicate daterange range timerange interval lucene kql scope wildcard mask`},
	{cPattern, fair, `since until after before period lookback`},
	{cOld, strong, `find oldtext original oldstr`},
	{cWhen, strong, `date time datetime timestamp deadline due day month year week hour minute duration
		schedule birthday dob started ended recurrence reminder`},
	{cWhen, fair, `start end begin finish created updated modified departure arrival checkin checkout
		at`},
	{cMoney, strong, `amount price cost fee budget salary balance tip sum bid deposit currency`},
	{cQuantity, fair, `quantity count number share seat baggage replica size scale volume age weight
		temperature level units adults rooms rating score points percentage percent
		threshold multiplier stop bins speed brightness`},
	{cLimit, strong, `limit offset cursor perpage pagesize pagenumber skip maxresults topk depth
		continuation max min maximum minimum`},
	{cLimit, fair, `batch first last head tail k n`},
	{cLook, strong, `format order sort sorting orderby direction language locale encoding color colour
		font width height layout theme style alignment delimiter timezone unit verbosity
		indent precision quality viewport orientation margin background border zoom position
		padding spacing decimal separator compression expand projection return granularity
		resolution fullpage timeout delay wait second millisecond ms quantile aggregation
		step dimension aspect`},
	{cLook, fair, `verbose mode view raw strip`},
	{cOption, fair, `region zone ttl expire expiry expiration setting config force overwrite recursive
		dryrun confirm notify flag option strategy behavior policy method enabled protection modifier
		silent insurance cabin class`},
	{cAudience, strong, `visibility permission access privacy private public role restriction accesslevel
		sharing acl privilege grant visible`},
	{cDeed, strong, `trigger action operation verb op`},
	{cKind, fair, `type kind status state category priority severity gender genre stage phase plan tier
		apiversion mimetype outcome axis side pair symbol resourcetype`},
	{cObject, fair, `milestone revision agent assistant instance object id identifier uuid guid sha hash key slug
		issue ticket event reservation booking transaction invoice appointment flight sku
		job run build release deployment alert shipment tweet post video song track photo
		medication prescription claim case lead deal opportunity session node pod service
		workload vm machine pull commit tree artifact asset rule transition car version
		listing apartment article`},
	{cPart, strong, `sheet cell column line index element xpath uid bookmark cellrange slide tab frame
		occurrence anchor`},
	{cGeo, fair, `city country location place latitude longitude origin airport station venue postcode
		zipcode neighborhood radius coordinate coordinates x y`},
})

type nounRow struct {
	concept concept
	weight  int
	words   string
}

func nounTable(rows []nounRow) map[string]noun {
	m := map[string]noun{}
	for _, r := range rows {
		for _, w := range strings.Fields(r.words) {
			if _, ok := m[w]; !ok {
				m[w] = noun{r.concept, r.weight}
			}
		}
	}
	return m
}

// handles are words that say "the following or preceding noun, by its id".
var handles = set(`id identifier key uuid guid slug sha number name handle code ref reference ts gid sku arn`)

// fillers say nothing about the concept of the word beside them.
var fillers = set(`list array set string str json json5 object value info information detail data
	collection comma separated optional new current the a an of or for and s raw input
	multiple all batch single given provided specific desired full first second main
	primary default custom additional extra selected valid exact complete
	unique existing actual specified relevant local remote absolute relative`)

// qualifiers change what the noun beside them means.
var qualifiers = set(`target source destination parent from to max min include exclude is has
	filter return sort start end old new previous next show hide with without by on off allow
	enable disable only per total should use skip no not force auto recursive
	inward outward child root`)

// compounds are pairs and triples of words that mean something else than
// their last word does.
var compounds = compoundTable([]nounRow{
	{cSecret, certain, `api_key access_key private_key secret_key access_token auth_token bearer_token
		refresh_token client_secret signing_key ssh_key encryption_key security_code
		connection_string session_token pin_code card_security verification_code
		otp_code two_factor authentication_token authentication_code recovery_code
		master_key license_key session_cookie`},
	{cLimit, certain, `page_token next_token sync_token continuation_token start_cursor page_number
		page_size per_page start_index start_at next_page page_index max_result
		result_limit max_token row_limit page_limit limit_count tail_line
		line_count max_count search_after starting_after ending_before from_index`},
	{cLook, strong, `time_zone sort_key sort_order order_by sort_by group_by content_format
		content_type mime_type file_type response_format output_format date_format
		text_format output_type return_type number_format media_type
		display_name_format return_field return_format include_field image_format
		poll_interval search_type match_type file_format page_width sort_field response_type
		tab_color date_order group_type context_line context_length context_size`},
	{cPath, strong, `file_name file_path dir_name folder_path directory_path output_path
		output_file input_file save_path working_directory root_path destination_path
		source_path download_path log_file local_path key_file csv_path content_file
		file_location folder_name directory_name private_key_path config_file
		attachment_path image_path image_file identity_file upload_file`},
	{cHost, strong, `host_name ip_address server_name host_address server_url domain_name`},
	{cLocator, strong, `web_hook base_url image_url icon_url callback_url redirect_uri web_site
		cover_url video_url photo_url avatar_url web_address origin_url remote_url
		feed_url return_url success_url cancel_url`},
	{cPerson, strong, `user_email email_address phone_number mail_address to_user share_with
		user_identifier assigned_to reply_to send_to invite_user mobile_number
		from_address to_address contact_number receipient_information
		on_behalf behalf_of raise_on user_to`},
	{cPerson, fair, `user_name display_name account_holder`},
	{cAccount, strong, `account_number card_number routing_number sort_code bank_account credit_card
		payment_method payment_id account_id from_account to_account customer_id wallet_address
		crypto_address bank_detail bank_info bank_information payment_info payment_detail payment_information
		billing_info billing_detail payout_detail payout_method payout_account destination_account source_account card_id funding_source billing_account`},
	{cPlace, strong, `data_source base_branch head_branch target_branch parent_id parent_page
		target_parent target_space target_project destination_folder target_folder
		calendar_id service_desk`},
	{cText, strong, `time_spent content_base64 base64_content base64_data file_data commit_message first_name last_name full_name middle_name new_text
		street_address address_line rich_text alt_text heading_text page_content file_content
		commit_title new_title pr_title message_body body_text mail_body new_content
		release_note version_comment custom_instruction_text zip_code postal_code
		tracking_note special_request commit_body note_content date_of_birth
		cover_letter user_preference`},
	{cName, strong, `new_name target_name friendly_name`},
	{cOld, strong, `old_text old_string old_str old_content search_text find_text text_selection
		old_value original_text text_to_find old_line`},
	{cPattern, strong, `date_range time_range price_range label_selector field_selector field_mask
		query_filter exclude_pattern include_pattern search_filter start_after created_after
		created_before updated_since time_min time_max time_period min_price max_price
		file_pattern search_scope from_date to_date start_date_from max_age project_filter
		min_rating max_rating`},
	{cKind, fair, `state_reason merge_method issue_type link_type event_type room_type
		project_type request_type chart_type api_version resource_type device_type
		flight_type job_type order_type rule_type`},
	{cOption, strong, `dry_run merge_strategy send_notification send_update grace_period
		grace_period_second in_trash auto_start`},
	{cQuantity, fair, `number_of amount_of count_of num_of quantity_of`},
	{cMoney, strong, `unit_amount unit_price total_amount total_price max_price_limit bid_amount loan_amount
		gas_limit payment_amount`},
	{cCode, strong, `source_code java_script shell_command tool_input tool_argument command_line
		node_command command_argument init_script user_data startup_script script_content`},
	{cManifest, strong, `patch_data json_patch merge_patch patch_body patch_operation patch_document config_xml
		job_config pipeline_config workflow_config`},
	{cPart, strong, `line_number start_line end_line start_row start_column changing_cell
		element_ref element_id row_number column_name table_cell end_row cell_range
		target_element element_description`},
	{cObject, strong, `message_id thread_ts thread_id event_id issue_number pull_number
		flight_number pr_number order_number tracking_number run_id issue_key
		primary_key comment_id product_id document_id page_id block_id email_id
		confirmation_number reservation_number booking_reference commit_sha tree_sha
		invoice_id intersection_id sender_id`},
	{cObject, certain, `in_reply_to`},
	{cWhen, strong, `start_time end_time start_date end_date due_date send_at date_time
		release_date due_on expires_at scheduled_time scheduled_at remind_at
		start_day end_day check_in check_out departure_date return_date pickup_time`},
	{cAudience, strong, `access_level permission_level sharing_level share_type link_sharing
		comment_visibility is_public is_private security_level allow_public public_read`},
})

func compoundTable(rows []nounRow) map[string]noun {
	m := nounTable(rows)
	for k, v := range m {
		words := strings.Split(k, "_")
		for i := range words {
			words[i] = singular(words[i])
		}
		delete(m, k)
		m[strings.Join(words, " ")] = v
	}
	return m
}
