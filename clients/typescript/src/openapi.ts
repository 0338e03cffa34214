// Made from internal/api/openapi.yaml by "npm run types": don't edit it.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The server runs */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The server can work
         * @description The store answers, and the tokens can be read. For who sends requests to replicas; 503 otherwise.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the server did, in numbers
         * @description For Prometheus. Verdicts, operations and statuses with their times; no session, tool or caller is named.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description */
        get: operations["description"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Those of the token's principal, by id; with the scope `sessions:any` all of them.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Begin a session
         * @description The session is the principal's who creates it. Other enforcement points
         *     of the same store (gateway, proxy, hooks) join it by its id.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /** Read a session */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/end": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session
         * @description Nothing can be added to it any more, by no enforcement point. Its questions are withdrawn. Its log stays.
         */
        post: operations["endSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a session again under other contracts, guards or scopes
         * @description The calls that other contracts, guards or another mode of scopes decide otherwise than the log
         *     says, as `remit replay --diff` finds them. Nothing is written.
         */
        post: operations["whatIf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /**
         * Read the log of a session
         * @description What the model saw, in order, with the decisions on calls. The text may be an
         *     attacker's: never show it raw. A page ends before its limit where it gets large.
         */
        get: operations["listEvents"];
        put?: never;
        /**
         * Add what the model sees
         * @description The body is a line of the session protocol, without its session. A result is
         *     of a call that was allowed and has none yet: for an unknown call it is 404,
         *     for another one 409, and nothing is added. What the model sees of those is
         *     an attachment.
         */
        post: operations["addEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/scope": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /**
         * Read what the user's last turn authorises
         * @description The scope of the turn, or why it has none. It is 404 as long as there is neither:
         *     a planner may still be thinking. The next decision waits for it.
         */
        get: operations["getScope"];
        put?: never;
        /**
         * Say what the user's last turn authorises
         * @description For deployments with a planner of their own: the scope of the user's last turn, as
         *     docs/reference/scopes.md describes it. Only the trusted side may send it: never
         *     pass on what an agent, a tool or a page says. It is 409 before the first turn.
         *     Entries that name what the session doesn't have grant nothing.
         */
        post: operations["giveScope"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/delegations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /**
         * Read the sources that the user's last turn delegates to
         * @description "Do what my list says": the sources that were read and to whose plans nobody has
         *     agreed, each with the plan that the planner makes of it, which takes as long as the
         *     planner. Nothing is authorised by that. docs/reference/scopes.md says what a plan may
         *     have. Ask it when a call was held back.
         */
        get: operations["getDelegations"];
        put?: never;
        /**
         * Say that a person agreed to the plan of a source
         * @description The person has read the question of the delegation, with the source and the plan, and
         *     agreed. The plan lets its calls through for the rest of the user's turn: decide those
         *     that were held back again, under their ids. Only the trusted side may send it. It is
         *     409 where the source or the plan is another one by now, or the turn has passed.
         */
        post: operations["agreeToPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /**
         * List decisions
         * @description In the order of the session's log. A call that was decided several times is there as often.
         */
        get: operations["listDecisions"];
        put?: never;
        /** Decide a proposed call */
        post: operations["decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/decisions/{call}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
                /** @description The call. */
                call: components["parameters"]["Call"];
            };
            cookie?: never;
        };
        /** Read the last decision on a call */
        get: operations["getDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/decisions/{call}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
                /** @description The call. */
                call: components["parameters"]["Call"];
            };
            cookie?: never;
        };
        /**
         * Explain the last decision on a call
         * @description The decision, and for every argument its value in pieces by trust and the
         *     places in the session that it came from, with the text around them. That
         *     text may be an attacker's: never show it raw.
         */
        get: operations["explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/confirmations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Note that a person agreed to a call
         * @description For enforcement points that ask people by themselves, and have shown them
         *     the last decision on the call. The scope is a trust: who has it can let
         *     every held-back call run.
         */
        post: operations["confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a person about calls
         * @description Puts the last decisions on calls, each an `ask`, into the queue, as one question.
         *     It waits for somebody with the scope `approvals:answer`, or with access to
         *     the store.
         */
        post: operations["ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        /**
         * Follow the decisions of a session
         * @description Server-sent events: `decision`, whose data is a Decision and whose id its
         *     place in the session's log, and `end` when the session was ended. Without
         *     Last-Event-ID it begins with the first decision.
         */
        get: operations["streamDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find sessions by what is in them
         * @description The sessions that pass all filters, those in which something happened last first.
         *     Text is looked for by an index, and in what that doesn't have yet for a few seconds at most.
         */
        get: operations["findSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count decisions by tool and verdict
         * @description In steps of time, with how long they took, why calls were stopped, and how long people took to answer.
         *     A call that a person let through is counted when it was held back, and as confirmed.
         */
        get: operations["countDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the questions that wait
         * @description Oldest first; those in sessions of the principal, with the scope `sessions:any` all of them.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the questions that wait
         * @description Server-sent events. `pending` is the first: its data lists the ids of all
         *     questions that wait, so that others can be forgotten. `asked` is a
         *     question that waits, with its place in the queue as the event's id;
         *     `settled` one that no longer does. Both have an Approval as data. With
         *     Last-Event-ID, questions that were asked before it don't come again.
         */
        get: operations["streamApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        /** Read a question */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question
         * @description A question is answered once, in time. Who answered is the token's principal.
         */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/use": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Act on an answer
         * @description An approval lets its calls be decided again, once, before it expires. A
         *     question that nobody approved, or that was used, comes back as a denial, and so
         *     does a call that was not agreed to. A question about several calls has a list
         *     as its answer, in their order.
         */
        post: operations["useApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a question
         * @description For a caller that no longer waits. Nobody can answer the question then, and whoever
         *     tries is told so. One that is settled stays as it is.
         */
        post: operations["withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contracts
         * @description Those of the deployment, one a server. Contracts that are made from the tools of a session are not among them.
         */
        get: operations["listContracts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts/{server}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
            };
            cookie?: never;
        };
        /** Read the contract of a server */
        get: operations["getContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts/{server}/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        /** Read the contract of a tool */
        get: operations["getToolContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit the contract of a tool
         * @description Writes the contract's file, where the server was started with `--edit`, and a note of who
         *     it was, from where, into the audit log. The contracts that decide stay as they were until
         *     the server starts again.
         */
        patch: operations["editContract"];
        trace?: never;
    };
    "/v1/contracts/{server}/tools/{tool}/definition": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        /**
         * See what a server has changed about a tool
         * @description The definition of the tool as it was reviewed with its contract, and the last one that its server
         *     has shown instead, as they are kept beside the contract's file. All of it is the server's own words.
         */
        get: operations["getDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts/{server}/tools/{tool}/check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what an edit would have done
         * @description The file that an edit makes, and the tool's last calls in the store, at most a thousand,
         *     decided again without and with it. Nothing is written.
         */
        post: operations["checkContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/playground": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a conversation that is written down
         * @description By contracts that are made from the definitions, as the console's playground does. Nothing of it is kept.
         */
        post: operations["play"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what became of the policy document
         * @description The document's sentences with the policies that refer to them, the policies with their
         *     rules, whose tests are run now, and how many policies each tool has, as `remit policy review`
         *     and `remit policy coverage` say it. There is one where the server was started with
         *     `--compiled` and `--document`.
         */
        get: operations["getPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the policies with an earlier version
         * @description What the present version of the document changes, as `remit policy diff` says it, where the server was started with `--before`.
         */
        get: operations["comparePolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a review of a policy would write
         * @description The difference that a review makes in the files of the directory, to be applied there. Nothing is written.
         */
        post: operations["checkReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or archive a policy, or resolve a conflict
         * @description Writes the files as `remit policy approve`, `archive` and `resolve` do, where the server was started with
         *     `--edit`, and a note of who it was, from where, into the audit log. The guards that decide
         *     stay as they were until the server starts again.
         */
        post: operations["reviewPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description One entry a line, as `remit audit export` writes it. An export that doesn't end with a line break was cut off.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verify the audit log */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell when the audit log was last verified
         * @description What the last check found, whoever asked for it. It is kept beside the log: who can write the store can write it, too.
         */
        get: operations["lastVerified"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a proposed call (AuthZEN)
         * @description The decision is true for the verdict `allow` alone. What the subject is
         *     does not count; whose the session is does. Unless the session was created
         *     with `unseen_user` false, values that nothing explains are EXTERNAL.
         */
        post: operations["evaluate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide several proposed calls (AuthZEN)
         * @description One after the other, each seeing the ones before it. What an evaluation leaves out is as in the request.
         */
        post: operations["evaluateAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Names a thing within its kind. */
        ID: string;
        /** @description The cursor of the next page; absent on the last one. */
        Next: string;
        Session: {
            id: string;
            /** @description The number of its events. */
            length: number;
            /** Format: date-time */
            begun: string;
            /**
             * Format: date-time
             * @description When something was last added.
             */
            active: string;
            /** @description Whose it is; absent where another enforcement point began it. */
            principal?: string;
            /**
             * Format: date-time
             * @description When it was ended; absent while it goes on.
             */
            ended?: string;
        };
        NewSession: {
            /** @description The session's id; one is made when it is left out. Make ids that can't be guessed where principals must not learn of each other. */
            id?: components["schemas"]["ID"];
            /**
             * @description The tools that the agent has, where the deployment doesn't say. Tools
             *     that a contract of the deployment covers are held to it; without any,
             *     contracts are made from these definitions.
             */
            tools?: {
                server: components["schemas"]["ID"];
                /** @description A list of tools in the MCP or the OpenAI form, an MCP tools/list result, or an OpenAPI document. */
                tools: unknown[] | Record<string, unknown>;
            }[];
            /**
             * @description That not everything that the model sees comes here: memory, earlier
             *     conversations, retrieved text, other agents. What nothing explains that
             *     came may then be anybody's, and is EXTERNAL. AuthZEN evaluations take it so
             *     unless the session was created with `false`; other decisions where it
             *     is `true`.
             */
            unseen_user?: boolean;
        };
        NewScope: {
            /** @description A scope. An entry that is not an object grants nothing, as one that is not understood. */
            scope: {
                calls?: unknown[];
                delegates?: unknown[];
            };
        };
        TurnScope: {
            /** @description The number of entries that hold. */
            calls: number;
            /** @description The entries that grant nothing. */
            refused?: {
                /** @description The place in the scope. */
                path: string;
                message: string;
            }[];
            /** @description The entries that hold, in words. */
            words?: string[];
            /** @description The scope as it was written; absent where there is none. */
            scope?: Record<string, unknown>;
            /** @description What a planner was shown, and what it took; absent where the caller gave the scope. */
            planned?: {
                turn: number;
                /** @description The digest of what the planner was shown. */
                shown?: string;
                /** @description The digest of the tools in it. */
                tools?: string;
                model?: string;
                /** @description Why there is no scope. */
                failed?: string;
                input_tokens?: number;
                output_tokens?: number;
            };
            /** @description What the planner said, once results were there, of names in the scope that their records don't have. */
            names?: {
                turn: number;
                /** @description The call with the result. */
                call: string;
                server?: string;
                tool: string;
                /** @description The digest of what the planner was shown. */
                shown?: string;
                names?: {
                    /** @description The name in the scope. */
                    guess: string;
                    /** @description The member that it means. */
                    member: string;
                }[];
                model?: string;
                /** @description Why there is no answer. */
                failed?: string;
                input_tokens?: number;
                output_tokens?: number;
            }[];
        };
        Delegations: {
            delegations: components["schemas"]["Delegation"][];
        };
        Delegation: {
            /** @description The call that returned the source; absent for a proposal of the assistant's. */
            call?: string;
            server?: string;
            tool?: string;
            /** @description The source, raw: anybody may have written it. */
            text: string;
            /** @description What a person is to read: the source and the plan, with everything of others in quotes. */
            question: string;
            /** @description The plan as the planner wrote it; absent where there is none. */
            plan?: Record<string, unknown>;
            delegated?: components["schemas"]["Delegated"];
            /** @description The calls that an agreement lets through, in words. */
            words?: string[];
            /** @description How many more calls can't be shown so. */
            left?: number;
            /** @description Why there is no plan. */
            failed?: string;
        };
        /** @description What was shown. An agreement sends it back as it is. */
        Delegated: {
            turn: number;
            call?: string;
            /** @description That of the source. */
            digest: string;
            /** @description Set it where the answer stands beside other words of the user's, which follow as an event: the plan holds through the turn that these begin. */
            beside?: boolean;
            /** @description The digest of the calls that were shown. */
            plan?: string;
            /** @description The digest of what the planner was shown. */
            shown?: string;
            model?: string;
            input_tokens?: number;
            output_tokens?: number;
        };
        AgreedPlan: {
            /** @description The plan of the delegation, as it is. */
            plan: Record<string, unknown>;
            delegated: components["schemas"]["Delegated"];
            /** @description The person's answer, for the log. */
            answer?: string;
        };
        NewApproval: {
            call: string;
            /** @description Further calls of the session, for one question about all of them. */
            more?: string[];
        };
        Confirmation: {
            call: string;
            /**
             * @description How far it reaches: this call alone, or the same values in the same arguments of the tool.
             * @default session
             * @enum {unknown}
             */
            for: "once" | "session";
            lookups?: components["schemas"]["LookupResults"];
        };
        Answer: {
            /** @enum {unknown} */
            answer: "approve" | "deny";
            /**
             * @description The calls that an approval is for. A question about several calls needs them:
             *     who doesn't show all of them can't agree to all.
             */
            calls?: string[];
            /**
             * @description How far an approval reaches.
             * @default once
             * @enum {unknown}
             */
            for: "once" | "session" | "always";
            /** @description For the record. */
            why?: string;
        };
        Decisions: {
            decisions: components["schemas"]["Decision"][];
        };
        Approval: {
            id: string;
            session: string;
            call: string;
            /** @description What the approval is bound to: a hash of session, call, server, tool and canonical arguments; of several calls, a hash over theirs. */
            arguments_sha256: string;
            /** @description What was decided; it has no explanation of its own. */
            decision: components["schemas"]["Decision"];
            places?: components["schemas"]["ApprovalPlace"][];
            /** @description The other calls, of a question about several. */
            more?: {
                /** @description What was decided; it has no explanation of its own. */
                decision: components["schemas"]["Decision"];
                places?: components["schemas"]["ApprovalPlace"][];
            }[];
            /** @description The calls that were agreed to, of a question about several. */
            agreed?: string[];
            /** @description A yes beyond the call is for its values, as the session keeps them: whoever asked keeps no calls. */
            by_value?: boolean;
            /** @enum {unknown} */
            state: "pending" | "approved" | "denied" | "expired" | "cancelled" | "used";
            /** @enum {unknown} */
            extent?: "once" | "session" | "always";
            by?: string;
            why?: string;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            expires: string;
            /** Format: date-time */
            settled?: string;
            /** @description How far a yes would reach, of a question about one call that waits, where it is read by itself. */
            reaches?: {
                /** @enum {unknown} */
                for: "once" | "session" | "always";
                /** @description Which calls that would let run. */
                words: string;
                /** @description What the server's contract file gets for `always`, below the tool. */
                entry?: string;
                /** @description The name of that file, where it is known here. */
                file?: string;
            }[];
        };
        /** @description Where an argument came from. The text may be an attacker's. */
        ApprovalPlace: {
            path: string;
            origin: string;
            trust: components["schemas"]["Trust"];
            vouches?: boolean;
            before?: string;
            text: string;
            after?: string;
            /** @description The tool whose result the place is in, or into whose call the model wrote it. */
            tool?: string;
            /** @description The place is in an earlier call. */
            written?: boolean;
            /** @description The other members of the record that the value is of. */
            record?: {
                name: string;
                value: string;
            }[];
        };
        /** @description A decision whose findings say more. */
        Explanation: {
            session: string;
            call: string;
            tool: string;
            /** @enum {unknown} */
            verdict: "allow" | "ask" | "deny";
            findings: (components["schemas"]["Finding"] & {
                state: string;
                /** @description How the trust was found. */
                way: string;
                pieces: {
                    text: string;
                    trust: components["schemas"]["Trust"];
                }[];
                places: (components["schemas"]["Evidence"] & {
                    before: string;
                    match: string;
                    after: string;
                })[];
                /** @description Places that are not shown. */
                more?: number;
            })[];
        };
        /** @description A contract file, as docs/reference/contracts.md describes it. */
        Contract: {
            /** @constant */
            version: 1;
            server: string;
            fingerprint?: string;
            /** @enum {unknown} */
            precision?: "L0" | "L1" | "L2" | "L3";
            /** @enum {unknown} */
            unprovoked?: "off" | "ask" | "deny";
            /** @enum {unknown} */
            sinks?: "off" | "ask" | "deny";
            settled?: string[];
            tools: components["schemas"]["ToolContract"][];
        };
        ToolContract: {
            name: string;
            /** @enum {unknown} */
            effect: "read" | "write" | "destructive" | "execute" | "egress";
            fingerprint?: string;
            why?: string;
            review?: string;
            args?: {
                /** @description A JSON pointer in which `*` stands for any member. */
                pattern: string;
                role: components["schemas"]["Role"];
                floor: components["schemas"]["Trust"];
                why?: string;
            }[];
            output: {
                trust: components["schemas"]["Trust"];
            };
        };
        ToolDefinitions: {
            /** @description What the contract was made for or reviewed with; absent where none was seen. */
            reviewed?: components["schemas"]["ToolDefinition"];
            /** @description The last definition that the server showed instead; absent for none. */
            present?: components["schemas"]["ToolDefinition"];
            /** @description That the server has shown the reviewed one again after that. */
            back?: boolean;
            /** @description What differs. */
            changes: {
                /** @description A JSON pointer into the definitions. */
                place: string;
                /** @description Absent where it was not there. */
                was?: string;
                /** @description Absent where it is gone. */
                is?: string;
            }[];
            /** @description Texts in the present definition that speak to the model. */
            speaks: string[];
        };
        ToolDefinition: {
            fingerprint: string;
            /** @description The definition as the server sent it; absent where it was too long to be kept. */
            definition?: unknown;
        };
        /** @enum {unknown} */
        PolicyState: "approved" | "enforced" | "not-enforced" | "unguarded" | "conflict" | "archived" | "unmapped";
        PolicyRef: {
            /** @description The tool, as TOOL or SERVER/TOOL; `*` for policies about every call. */
            tool: string;
            policy: string;
            state: components["schemas"]["PolicyState"];
        };
        Policies: {
            document: {
                name: string;
                digest: string;
            };
            /** @description Whether it is known which version of a document the policies were made of. */
            compiled: boolean;
            /** @description Whether that was another version than the document is now. */
            changed: boolean;
            /** @description Mistakes in guard files. Each denies every call of its tool. */
            mistakes: string[];
            /** @description The tools, with the number of their policies. */
            coverage: {
                server?: string;
                tool: string;
                /** @enum {unknown} */
                effect?: "read" | "write" | "destructive" | "execute" | "egress";
                /** @description Policies that are checked. */
                rules: number;
                /** @description Policies without a check. */
                unenforced: number;
                duties: number;
                examples: number;
                /** @description Policies and duties that hold for every tool. */
                every_tool: number;
            }[];
            /** @description Those of the document, in reading order, headings among them. */
            sentences: {
                id: string;
                text: string;
                place?: string;
                /** @description What became of it; absent for headings. */
                state?: components["schemas"]["PolicyState"];
                /** @description Why no policy refers to it. */
                reason?: string;
                suspicious?: boolean;
                /** @description That the version from which the policies were made did not have it. */
                new?: boolean;
                policies?: components["schemas"]["PolicyRef"][];
            }[];
            suspicions: {
                kind: string;
                text: string;
                why: string;
                /** @description The id of the sentence. */
                sentence?: string;
            }[];
            /** @description What needs a decision, what weighs most first. */
            questions: {
                tool: string;
                policy: string;
                state: components["schemas"]["PolicyState"];
                kind: string;
                why?: string;
            }[];
            policies: components["schemas"]["Policy"][];
        };
        Policy: {
            tool: string;
            policy: string;
            state: components["schemas"]["PolicyState"];
            /** @enum {unknown} */
            status?: "proposed" | "approved" | "archived";
            /** @description Of all that the files say of it; the base of a review. */
            digest?: string;
            description: string;
            reason?: string;
            tools?: string[];
            references: {
                text: string;
                /** @description The ids of the sentences in which it stands; none where it stands nowhere. */
                sentences: string[];
            }[];
            compliance_examples: components["schemas"]["PolicyExample"][];
            violation_examples: components["schemas"]["PolicyExample"][];
            rule?: {
                place: string;
                variables: {
                    name: string;
                    text: string;
                }[];
                /** @description The condition in CEL; absent where nothing can check it. */
                require?: string;
                message: string;
                /** @enum {unknown} */
                otherwise: "ask" | "deny";
                remarks: string[];
                /** @description That its file has mistakes. */
                broken?: boolean;
                tests: {
                    name: string;
                    /** @enum {unknown} */
                    want: "allow" | "ask" | "deny";
                    /** @enum {unknown} */
                    got?: "allow" | "ask" | "deny";
                    passed: boolean;
                    /** @description Why the rule could not be decided. */
                    failed?: string;
                }[];
            };
            conflicts: {
                field: string;
                /** @description What is in the file, as YAML. */
                mine: string;
                /** @description What a later run says. */
                theirs: string;
            }[];
        };
        PolicyExample: {
            text: string;
            /** @description Whether a test holds the rule to it. */
            tested: boolean;
            reason?: string;
        };
        PolicyReview: {
            tool: string;
            policy: string;
            /**
             * @description `mine` and `theirs` resolve a conflict about the field: what is in the file stays, or what the later run says is taken over.
             * @enum {unknown}
             */
            review: "approve" | "archive" | "mine" | "theirs";
            field?: string;
            /** @description Why the policy is archived. */
            reason?: string;
            /** @description Approves the policy although tests of its rule fail. Without it such a review is refused. */
            failing?: boolean;
            /** @description The digest of the policy that was seen. The review is refused when the policy is another one by now. */
            base?: string;
        };
        ReviewedPolicy: {
            base: string;
            /** @description The files that change, within the directory. */
            files: string[];
            /** @description The difference, in the unified form. */
            patch: string;
        };
        PolicyChanges: {
            document: components["schemas"]["TextsBeforeAndAfter"];
            document_edited: boolean;
            policies: {
                server?: string;
                tool: string;
                policy: string;
                /** @enum {unknown} */
                change: "added" | "retired" | "archived" | "restored" | "approved" | "changed";
                /** @description The change in a word or three, as `stricter and laxer`. */
                headline: string;
                /** @description The name before. */
                was?: string;
                text: string;
                description?: components["schemas"]["TextsBeforeAndAfter"];
                sentences_gone?: string[];
                sentences_new?: string[];
                /** @enum {unknown} */
                status?: "proposed" | "approved" | "archived";
                reason?: string;
                newly_approved?: boolean;
                enforced_before: components["schemas"]["PolicyEnforcement"];
                enforced_after: components["schemas"]["PolicyEnforcement"];
                condition?: components["schemas"]["TextsBeforeAndAfter"];
                message?: components["schemas"]["TextsBeforeAndAfter"];
                stricter?: components["schemas"]["TurnedExample"][];
                laxer?: components["schemas"]["TurnedExample"][];
                undecided?: string[];
                unknown?: boolean;
            }[];
            /** @description Sentences that no policy refers to now. */
            unmapped: components["schemas"]["PolicySentence"][];
            /** @description Sentences that a policy refers to now. */
            mapped: components["schemas"]["PolicySentence"][];
        };
        /** @enum {unknown} */
        PolicyEnforcement: "none" | "checked" | "checked-asking" | "denied" | "asked";
        PolicySentence: {
            text: string;
            reason?: string;
        };
        TextsBeforeAndAfter: {
            before: string;
            after: string;
        };
        TurnedExample: {
            example: string;
            /** @enum {unknown} */
            before: "allow" | "ask" | "deny";
            /** @enum {unknown} */
            after: "allow" | "ask" | "deny";
        };
        ContractEdit: {
            /** @description The arguments that get this role and floor; the others keep theirs. */
            args: {
                /** @description The value of the variant that the argument belongs to. */
                variant?: string;
                pattern: string;
                /** @enum {unknown} */
                role: "target" | "command" | "credential" | "content" | "selector" | "control";
                floor: components["schemas"]["Trust"];
            }[];
            /** @description Takes the marks for a review off the tool. */
            reviewed?: boolean;
            /** @description The digest of the file that was seen. The edit is refused when the file is another one by now. */
            base?: string;
        };
        EditedContract: {
            /** @description The file; absent for a contract that is in none. */
            file?: string;
            /** @description SHA-256 of the file as it is. */
            base: string;
            /** @description SHA-256 of the file as it will be. */
            digest: string;
            /** @description The difference, in the unified form. */
            patch: string;
            /** @description Whether calls may pass that did not before. */
            laxer: boolean;
            changes: string[];
            outcome?: components["schemas"]["ReplayOutcome"];
        };
        ReplayOutcome: {
            sessions: number;
            /** @description The calls that were decided again. */
            calls: number;
            /** @description That a bound left calls out. */
            more?: boolean;
            /** @description The sessions that can't be read again. */
            unread?: number;
            before: components["schemas"]["VerdictCounts"];
            after: components["schemas"]["VerdictCounts"];
            /** @description Calls that would run and did not. */
            passed: number;
            /** @description Calls that ran and would not. */
            stopped: number;
            /** @description The first 50 calls that are decided otherwise. */
            turned: {
                session: string;
                seq: number;
                call: string;
                server?: string;
                tool: string;
                /** @enum {unknown} */
                was: "allow" | "ask" | "deny";
                /** @enum {unknown} */
                is: "allow" | "ask" | "deny";
                reasons_before?: components["schemas"]["Reason"][];
                reasons?: components["schemas"]["Reason"][];
            }[];
        };
        VerdictCounts: {
            allow: number;
            ask: number;
            deny: number;
        };
        LoggedEvent: {
            /** @description Its place in the log. */
            seq: number;
            /** @enum {unknown} */
            kind: "system" | "user" | "attachment" | "assistant" | "call" | "confirmation" | "result" | "scope" | "agreement" | "principal";
            /** Format: date-time */
            time: string;
            /** @description That of an attachment. */
            name?: string;
            text?: string;
            /** @description The proposed call; a confirmation has its id alone. */
            call?: Record<string, unknown>;
            /** @description What a call returned. */
            result?: Record<string, unknown>;
            decision?: components["schemas"]["Decision"];
            /** @description The decision was recorded and not enforced. */
            shadow?: boolean;
        };
        /** @description The end of the store's own chain, as far as it was checked. */
        ChainHead: {
            chain: string;
            /** @description How long the chain was. */
            entries: number;
            /** @description That of its last entry; zeros where a version of Remit checked it that kept none. */
            hash: string;
        };
        AuditReport: {
            /** @description Whether nothing is wrong. */
            ok: boolean;
            sessions: number;
            entries: number;
            pruned?: number;
            head: components["schemas"]["ChainHead"];
            /** @description Entries that no head covers yet. */
            unnoted?: number;
            problems?: {
                chain: string;
                n: number;
                what: string;
            }[];
            more?: number;
        };
        AuthZENEntity: {
            type: string;
            id: string;
            properties?: Record<string, unknown>;
        };
        /** @description The tool. */
        AuthZENAction: {
            name: string;
            properties?: Record<string, unknown>;
        };
        /** @description The server of the tool. */
        AuthZENServer: {
            /** @constant */
            type: "server";
            id: string;
            properties?: Record<string, unknown>;
        };
        /** @description The session, and the call within it. */
        AuthZENContext: {
            session: components["schemas"]["ID"];
            call?: string;
            /** @description The arguments, or the text that the model wrote for them. */
            arguments?: Record<string, unknown> | string;
        };
        Evaluation: {
            subject: components["schemas"]["AuthZENEntity"];
            action: components["schemas"]["AuthZENAction"];
            resource: components["schemas"]["AuthZENServer"];
            context: components["schemas"]["AuthZENContext"];
        };
        Evaluations: {
            subject?: components["schemas"]["AuthZENEntity"];
            action?: components["schemas"]["AuthZENAction"];
            resource?: components["schemas"]["AuthZENServer"];
            context?: components["schemas"]["AuthZENContext"];
            options?: {
                /**
                 * @default execute_all
                 * @enum {unknown}
                 */
                evaluations_semantic: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";
            };
            evaluations: {
                subject?: components["schemas"]["AuthZENEntity"];
                action?: components["schemas"]["AuthZENAction"];
                resource?: components["schemas"]["AuthZENServer"];
                context?: components["schemas"]["AuthZENContext"];
            }[];
        };
        Evaluated: {
            decision: boolean;
            context: {
                /** @enum {unknown} */
                verdict: "allow" | "ask" | "deny";
                call: string;
                /** @description Forward these. */
                arguments?: Record<string, unknown>;
                reasons?: components["schemas"]["Reason"][];
                /** @description What to tell the model instead of a result. */
                explanation?: string;
            };
        };
        Problem: {
            /**
             * @description Stable for programs.
             * @enum {unknown}
             */
            type: "urn:remit:problem:invalid-request" | "urn:remit:problem:unauthorized" | "urn:remit:problem:forbidden" | "urn:remit:problem:not-found" | "urn:remit:problem:method-not-allowed" | "urn:remit:problem:conflict" | "urn:remit:problem:gone" | "urn:remit:problem:request-too-large" | "urn:remit:problem:unsupported-media-type" | "urn:remit:problem:key-reused" | "urn:remit:problem:session-exists" | "urn:remit:problem:session-ended" | "urn:remit:problem:too-many" | "urn:remit:problem:unavailable";
            title: string;
            status: number;
            /** @description What is wrong with this request. */
            detail?: string;
        };
        Event: {
            /** @constant */
            type: "system";
            text: string;
        } | {
            /** @constant */
            type: "user";
            text: string;
        } | {
            /** @constant */
            type: "attach";
            text: string;
            name?: string;
        } | {
            /** @constant */
            type: "assistant";
            text: string;
        } | {
            /** @constant */
            type: "result";
            call: string;
            /** @description The text that the model sees. */
            content?: string;
            /** @description The same as JSON, where the tool gives it. */
            structured?: unknown;
            /** @description Whether the call failed, where the tool or the one that ran it says so, as by MCP's isError. Leave it out where nobody does. */
            failed?: boolean;
            /**
             * @description The call has not run: its tool waits, and will be called again. Nothing was returned then.
             * @constant
             */
            suspended?: true;
        };
        /** @description A call that the model proposes. Answered with a decision. */
        Call: {
            /** @description Names the call within its session; one is made when it is left out. */
            id?: string;
            server?: string;
            tool: string;
            /** @description The arguments, or the text that the model wrote for them. */
            arguments?: Record<string, unknown> | string;
            /** @description Names the model's message that the call is in; calls with the same name are made together. */
            message?: string;
            /** @description What the model says to the user in that message. */
            beside?: string;
        };
        /** @description A call that the model proposes, with what was looked up for it. */
        Proposal: {
            /** @description Names the call within its session; one is made when it is left out. */
            id?: string;
            server?: string;
            tool: string;
            /** @description The arguments, or the text that the model wrote for them. */
            arguments?: Record<string, unknown> | string;
            /** @description Names the model's message that the call is in; calls with the same name are made together. */
            message?: string;
            /** @description What the model says to the user in that message. */
            beside?: string;
            lookups?: components["schemas"]["LookupResults"];
        };
        /**
         * @description Says that the caller makes the look-ups of rules, and holds the results of those
         *     that the answers to this request asked for so far; an empty list at first. It
         *     needs the scope `events:write` as well. Without it, rules look things up
         *     in other ways, or deny the call.
         */
        LookupResults: {
            /** @description The look-up's. */
            id: string;
            /** @description The text that the tool returned. */
            content?: string;
            /** @description The same as JSON, where the tool gives it. */
            structured?: unknown;
            /** @description Why there is no result. */
            error?: string;
        }[];
        Lookups: {
            lookups: components["schemas"]["Lookup"][];
        };
        /** @description What a rule needs a tool that only reads to be called for. The model must see neither the question nor the answer. */
        Lookup: {
            id: string;
            server?: string;
            tool: string;
            arguments: Record<string, unknown>;
        };
        /** @description The answer to a call or a confirmation. */
        Decision: {
            session: string;
            call: string;
            server?: string;
            tool: string;
            /** @description the tool that was called, where that only calls "tool" */
            through?: string;
            variant?: string;
            /** @enum {unknown} */
            verdict: "allow" | "ask" | "deny";
            /** @enum {unknown} */
            effect?: "read" | "write" | "destructive" | "execute" | "egress";
            /** @enum {unknown} */
            precision?: "L0" | "L1" | "L2" | "L3";
            /** @description The canonical form of what was checked. Forward this, not what the model wrote. */
            arguments?: Record<string, unknown>;
            findings?: components["schemas"]["Finding"][];
            reasons?: components["schemas"]["Reason"][];
            confirmed?: boolean;
            /** @description What to tell the model instead of a result; absent for allow. */
            explanation?: string;
        };
        /** @description What is known about one leaf of the arguments. */
        Finding: {
            /** @description JSON pointer of the leaf. */
            path: string;
            /** @description Its text, cut to 256 bytes. */
            value: string;
            role?: components["schemas"]["Role"];
            floor: components["schemas"]["Trust"];
            trust: components["schemas"]["Trust"];
            origins?: string[];
            obligations?: string[];
            how: string;
            evidence?: components["schemas"]["Evidence"][];
            certificates?: components["schemas"]["Certificate"][];
            satisfied: boolean;
            pattern?: string;
            why?: string;
            /** @description Place of the contract entry, as file:line:column. */
            contract?: string;
        };
        /** @description A place in the session. */
        Evidence: {
            /** @description system:0, user:2 or result:c3, with #/pointer for a field. */
            origin: string;
            trust: components["schemas"]["Trust"];
            start: number;
            end: number;
            value_start?: number;
            value_end?: number;
            text: string;
            vouches?: boolean;
        };
        Certificate: {
            procedure: string;
            max: components["schemas"]["Trust"];
            roles: components["schemas"]["Role"][];
            removes?: string[];
            basis: string;
        };
        Reason: {
            /** @description Stable for programs. */
            code: string;
            path?: string;
            /** @enum {unknown} */
            verdict: "ask" | "deny";
            message: string;
            remedies?: string[];
            /** @description Whoever agrees to the call agrees as well that results of these shapes are read as fields. */
            reads?: components["schemas"]["Reading"][];
        };
        Reading: {
            server?: string;
            tool: string;
            /** @enum {unknown} */
            format: "yaml" | "table" | "lines";
            /** @description The same for results with the same fields in the same order and places. */
            shape: string;
            /** @description The call whose result the question shows in whole. It counts until the user's next turn. */
            call?: string;
        };
        /** @enum {unknown} */
        Trust: "EXTERNAL" | "TOOL_OUTPUT" | "USER" | "TRUSTED";
        /** @enum {unknown} */
        Role: "target" | "command" | "credential" | "content" | "selector" | "control" | "";
    };
    responses: {
        /** @description The request was not carried out (RFC 9457). A call that it is about must not run. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The session. */
        Session: components["schemas"]["ID"];
        /** @description The call. */
        Call: string;
        /** @description The question. */
        Approval: string;
        /** @description The server. */
        Server: string;
        /** @description The tool. */
        Tool: string;
        /** @description How many to return at most. */
        Limit: number;
        /** @description Where the page before ended; its `next`. */
        Cursor: string;
        /**
         * @description A name for this request, of the client's choice. A request that is sent
         *     again under it within a day is not carried out again, and gets the same
         *     answer.
         */
        IdempotencyKey: string;
        /** @description A name for the request, which the answer repeats. */
        RequestID: string;
    };
    requestBodies: never;
    headers: {
        /** @description Where the new resource is. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics in Prometheus' text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    description: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description that the server was built from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Where the page before ended; its `next`. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                        next?: components["schemas"]["Next"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    whatIf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Contract files (YAML), 1 MiB each, and 4 MiB together with the guards at most. Each stands for the deployment's contract of its server. */
                    contracts?: string[];
                    /** @description Guard files (YAML). Each stands for the deployment's guard of its tool. */
                    guards?: string[];
                    /**
                     * @description The mode of the scopes in the log; the deployment's own when absent.
                     * @enum {unknown}
                     */
                    scopes?: "off" | "grant" | "bound";
                };
            };
        };
        responses: {
            /** @description What they would have decided. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayOutcome"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Where the page before ended; its `next`. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: components["schemas"]["LoggedEvent"][];
                        next?: components["schemas"]["Next"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    addEvent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description It is in the session's log. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getScope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scope. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnScope"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    giveScope: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewScope"];
            };
        };
        responses: {
            /** @description The scope, which is in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnScope"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDelegations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sources; none where the turn delegates to none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delegations"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    agreeToPlan: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgreedPlan"];
            };
        };
        responses: {
            /** @description It is in the session's log. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Where the page before ended; its `next`. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of decisions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        decisions: components["schemas"]["Decision"][];
                        next?: components["schemas"]["Next"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    decide: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Proposal"];
            };
        };
        responses: {
            /** @description The decision, with everything that led to it. It is in the session's log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
                };
            };
            /**
             * @description No decision yet, and nothing was written: rules need these look-ups. Only a
             *     request with `lookups` gets this answer. Send it again, with another
             *     idempotency key, with their results and those that it had.
             */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lookups"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDecision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
                /** @description The call. */
                call: components["parameters"]["Call"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
                /** @description The call. */
                call: components["parameters"]["Call"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    confirm: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description The call as it is decided now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
                };
            };
            /**
             * @description No decision yet, and nothing was written: rules need these look-ups. Only a
             *     request with `lookups` gets this answer. Send it again, with another
             *     idempotency key, with their results and those that it had.
             */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lookups"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    ask: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApproval"];
            };
        };
        responses: {
            /** @description The question. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamDecisions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The session. */
                session: components["parameters"]["Session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    findSessions: {
        parameters: {
            query?: {
                /** @description Whose the sessions are. */
                principal?: string;
                /** @description With a decision on a call of this server. */
                server?: string;
                /** @description With a decision on a call of this tool. */
                tool?: string;
                /** @description With a decision of this verdict. */
                verdict?: "allow" | "ask" | "deny";
                /** @description With a decision that would have stopped its call and that shadow mode let run. */
                shadow?: boolean;
                /** @description In which something happened at or after the time. */
                since?: string;
                /** @description In whose log the text appears. */
                text?: string;
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Where the page before ended; its `next`. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions, each with its decisions by verdict. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: (components["schemas"]["Session"] & {
                            allowed: number;
                            asked: number;
                            denied: number;
                            /** @description Those that would have stopped their calls and were not enforced; the others are. */
                            shadow: number;
                        })[];
                        next?: components["schemas"]["Next"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    countDecisions: {
        parameters: {
            query: {
                /** @description From when on. */
                since: string;
                /** @description How long a step is */
                step?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts, by time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        counts: {
                            server?: string;
                            tool: string;
                            /** @enum {unknown} */
                            verdict: "allow" | "ask" | "deny";
                            /** @description The decision followed from a person's agreement. */
                            confirmed?: boolean;
                            /** @description The decision was recorded and not enforced. */
                            shadow?: boolean;
                            /**
                             * Format: date-time
                             * @description The beginning of the step.
                             */
                            step: string;
                            count: number;
                        }[];
                        /** @description How long the last of the decisions took, at most 10,000, in microseconds; absent where none was timed. */
                        took?: {
                            count: number;
                            p50: number;
                            p99: number;
                        };
                        /**
                         * @description The last of the calls that were stopped, at most 1000 and 16 MiB of decisions, by tool and kind of reason, the most frequent ones first.
                         *     A call with reasons of two kinds counts in both.
                         */
                        stopped: {
                            server?: string;
                            tool: string;
                            /** @description The kind of reason. */
                            code: string;
                            ask: number;
                            deny: number;
                            /** @description Those that shadow mode let run, in neither of the others. */
                            shadow: number;
                        }[];
                        /** @description The last of the questions, at most 1000, with how long people took to answer them, in milliseconds. */
                        answers: {
                            answered: number;
                            /** @description Those of them that were answered with yes. */
                            approved: number;
                            /** @description Those that nobody answered in time. */
                            expired: number;
                            p50: number;
                            p95: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Where the page before ended; its `next`. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of questions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approvals: components["schemas"]["Approval"][];
                        next?: components["schemas"]["Next"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamApprovals: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApproval: {
        parameters: {
            query?: {
                /** @description For how many seconds the answer may wait for the question to be settled. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The question, with what became of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    answer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answer"];
            };
        };
        responses: {
            /** @description The question, settled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    useApproval: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call, or the calls, as they are decided now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"] | components["schemas"]["Decisions"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    withdraw: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The question. */
                approval: components["parameters"]["Approval"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The question, with what became of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listContracts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contracts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        contracts: components["schemas"]["Contract"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contract"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getToolContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolContract"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    editContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractEdit"];
            };
        };
        responses: {
            /** @description What was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditedContract"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both definitions, and what differs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDefinitions"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    checkContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The server. */
                server: components["parameters"]["Server"];
                /** @description The tool. */
                tool: components["parameters"]["Tool"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContractEdit"];
            };
        };
        responses: {
            /** @description What would change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditedContract"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    play: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Definitions as JSON, of MCP, OpenAI or OpenAPI; those of several servers as an object with a list for each. */
                    tools: string;
                    /** @description Lines such as `user: TEXT`, `call TOOL {…}` and `result: TEXT`; docs/reference/console.md has an example. */
                    conversation: string;
                };
            };
        };
        responses: {
            /** @description The contracts that were made, and the log that a session of it would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        contracts: components["schemas"]["Contract"][];
                        events: components["schemas"]["LoggedEvent"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getPolicies: {
        parameters: {
            query?: {
                /** @description The only tool whose policies are shown, as TOOL or SERVER/TOOL. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, sentence by sentence, and its policies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policies"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    comparePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChanges"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    checkReview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyReview"];
            };
        };
        responses: {
            /** @description What it would write. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewedPolicy"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    reviewPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyReview"];
            };
        };
        responses: {
            /** @description What was written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewedPolicy"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    exportAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    verifyAudit: {
        parameters: {
            query?: {
                /** @description A digest that was kept elsewhere, which the log must still contain. */
                head?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was checked, and what is wrong. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    lastVerified: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description When that was, up to which entry, and what was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        time: string;
                        /** @description Whether nothing was wrong. */
                        ok: boolean;
                        sessions: number;
                        /** @description The entries that were checked. */
                        entries: number;
                        problems: number;
                        head: components["schemas"]["ChainHead"];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    evaluate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description A name for the request, which the answer repeats. */
                "X-Request-ID"?: components["parameters"]["RequestID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Evaluation"];
            };
        };
        responses: {
            /** @description The decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluated"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    evaluateAll: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, of the client's choice. A request that is sent
                 *     again under it within a day is not carried out again, and gets the same
                 *     answer.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description A name for the request, which the answer repeats. */
                "X-Request-ID"?: components["parameters"]["RequestID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Evaluations"];
            };
        };
        responses: {
            /** @description The decisions, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        evaluations: components["schemas"]["Evaluated"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
