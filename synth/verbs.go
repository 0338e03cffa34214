package synth

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
)

// manner is what a verb does to the objects it names, finer than an effect:
// it decides whether an object given by its id is picked or receives something.
type manner uint8

const (
	// looking leaves everything as it is.
	looking manner = iota
	// adding puts something new somewhere.
	adding
	// changing alters an object that exists.
	changing
	// removing takes away, ends or overwrites.
	removing
	// relocating moves or copies from one place to another.
	relocating
	// running executes.
	running
	// sending makes something reach somebody, or a network address.
	sending
)

func (m manner) String() string {
	return [...]string{"reads", "adds", "changes", "removes", "moves", "runs", "sends"}[m]
}

// verb is what is known about one verb.
type verb struct {
	effect contract.Effect
	manner manner
	// weak verbs say little ("manage", "handle", "post" of an HTTP method) or
	// are nouns as often ("list", "report"): another verb beside them wins.
	weak bool
}

// verbs is the lexicon of verbs.
var verbs = verbTable([]verbRow{
	{contract.Read, looking, false, `get search encode decode hash decrypt find read retrieve show view describe lookup check calculate compute
		validate verify analyze analyse compare summarize summarise inspect monitor browse
		explore scan trace diagnose troubleshoot explain extract translate convert detect
		estimate forecast predict recommend suggest resolve wait think sleep preview
		enumerate discover locate identify scroll hover help return ping listen peek exist
		stat tail head glob grep observe obtain display receive examine count measure
		determine recall traverse audit see know current await collect gather provide geocode`},
	{contract.Read, looking, true, `log review list query fetch history status detail diff blame top snapshot screenshot
		stats statistic tree filter match parse look info`},
	{contract.Write, adding, false, `create add append insert save store write put compose draft generate build attach
		annotate react register remember prepend define new enter fill type upsert
		import mkdir initialize establish createdirectory reflect capture plot render`},
	{contract.Write, adding, true, `record note comment bookmark star pin like favorite`},
	{contract.Write, changing, false, `update edit modify change set patch rename assign upvote follow unfollow transition
		complete reopen close adjust configure customize toggle reschedule unlink relate
		restore unarchive subscribe unstar unpin organize sort format resize split
		checkout select alter refresh sync synchronize acknowledge snooze watch unwatch
		minimize maximize press click tap drag choose bold autofit arrange login logout
		authenticate reindex rebuild vacuum compact optimize mount
		resume pause unpause decline dismiss mute unmute correct fix finalize join leave`},
	{contract.Write, changing, true, `fork commit label tag mark rate vote stash link manage control handle process apply
		switch turn limit give push enable start open schedule operate track increase
		decrease raise lower`},
	{contract.Write, changing, true, `use access load`},
	{contract.Write, relocating, false, `move copy clone duplicate relocate`},
	{contract.Destructive, removing, false, `delete remove drop truncate purge erase clear flush wipe reset revoke overwrite replace
		kill terminate cancel destroy uninstall evict archive trash prune rebase revert
		rollback disable deactivate suspend ban kick stop restart reboot shutdown scale lock
		unlock discard empty expire unregister unpublish unsubscribe unshare uninvite
		disconnect detach abort rotate deny reject ungroup unprotect removedirectory unset
		cordon drain authorize permit elevate impersonate migrate unmount expunge invalidate hangup deregister
		void pop`},
	{contract.Destructive, changing, false, `merge`},
	{contract.Destructive, removing, true, `block`},
	{contract.Execute, running, false, `execute run eval evaluate invoke launch spawn deploy install compile dispatch
		delegate sh sudo rerun retry upgrade provision boot simulate instruct`},
	{contract.Execute, running, true, `perform ask prompt script python bash shell ssh trigger call automate command terminal`},
	{contract.Egress, sending, false, `send reply connect sign mint stake unstake swap bridge claim airdrop share publish invite forward transfer pay purchase buy reserve withdraw deposit
		donate tweet retweet submit broadcast notify dial navigate visit goto refund remit
		redeem repost dm announce crawl scrape curl sell lend borrow invest hire lease
		webhook emit respond promote topup upload distribute commission outsource disclose
		leak expose enroll enrol signup`},
	{contract.Egress, changing, false, `approve accept confirm ratify endorse countersign`},
	{contract.Egress, changing, true, `release`},
	{contract.Egress, sending, true, `post request place message order contact email trade charge bill tip fax sms loan
		rent book exchange bid wire grant`},
	{contract.Write, relocating, true, `export download pull`},
})

// unspaced are verbs of Chinese, Japanese and Korean, which are looked for
// anywhere in a sentence.
var unspaced = unspacedTable(`
	查询=get 获取=get 搜索=search 检索=search 查看=view 查找=find 列出=list 读取=read 检查=check
	计算=calculate 转换=convert 测量=measure 规划=calculate 推荐=recommend 翻译=translate 分析=analyze
	创建=create 新建=create 生成=generate 添加=add 新增=add 写入=write 保存=save 更新=update 修改=modify
	编辑=edit 设置=set 移动=move 复制=copy 删除=delete 清空=clear 取消=cancel 撤销=revoke 重启=restart
	停止=stop 发送=send 发布=publish 发表=publish 回复=reply 转发=forward 分享=share 邀请=invite
	支付=pay 付款=pay 转账=transfer 购买=buy 下单=order 预订=book 预定=book 提交=submit 执行=execute
	运行=run 调用=invoke 部署=deploy 上传=upload 下载=download 授权=authorize
	取得=get 検索=search 一覧=list 確認=check 追加=add 作成=create 登録=register 変更=change 削除=delete
	送信=send 投稿=publish 実行=execute 反映=apply 共有=share 支払=pay 送金=transfer 予約=reserve
	招待=invite ダウンロード=download アップロード=upload
	조회=get 검색=search 가져=get 목록=list 생성=create 추가=add 수정=update 삭제=delete 전송=send
	보내=send 실행=execute 게시=publish 결제=pay 송금=transfer 예약=reserve 초대=invite
`)

// unspacedVerbsOf keeps an order, so that the same description gives the same
// contract.
type unspacedVerbsOf struct {
	words []string
	verbs map[string]string
}

func unspacedTable(text string) unspacedVerbsOf {
	t := unspacedVerbsOf{verbs: pairs(text)}
	for w := range t.verbs {
		t.words = append(t.words, w)
	}
	slices.Sort(t.words)
	return t
}

type verbRow struct {
	effect contract.Effect
	manner manner
	weak   bool
	words  string
}

// verbTable expands rows into a map; a word's first row wins.
func verbTable(rows []verbRow) map[string]verb {
	m := map[string]verb{}
	for _, r := range rows {
		for _, w := range strings.Fields(r.words) {
			if _, ok := m[w]; !ok {
				m[w] = verb{r.effect, r.manner, r.weak}
			}
		}
	}
	return m
}

// severity orders effects: how far one is from harmless.
func severity(e contract.Effect) int {
	switch e {
	case contract.Read:
		return 0
	case contract.Write:
		return 1
	case contract.Egress:
		return 2
	case contract.Destructive:
		return 3
	}
	return 4
}
