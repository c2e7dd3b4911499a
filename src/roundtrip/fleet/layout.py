"""The state of a run as arrays, a row for each request, replica and run of pages; the event loop knows nothing else.

Rows are structured, so that what belongs to one request lies in one place in memory and the same code runs compiled
or not. Everything that a run needs to go on is in here: it can stop after any event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.deployment import ADMISSION, POLICIES, ROUTERS, Deployment
from roundtrip.fleet.workload import Workload

Rows = NDArray[np.void]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Where a request stands. Handed: its prompt was read elsewhere and lies there; moving: it comes from there; ready: it
# is here and waits for a place in a step. The last three have left without a last token.
(
    AHEAD, WAITING, READING, WRITING, DONE, REFUSED, HANDED, MOVING, READY, CANCELED, TIMED_OUT, FAILED,
) = range(12)  # fmt: skip

# What a request waits for since `mark_s`, from something that took it out of the steps up to the next token.
NOTHING, PREEMPTED, SWAPPED, SENT, LOST = range(5)

REQUEST = np.dtype(
    [
        ("arrived_s", "f8"),  # at its replica; NaN until then
        ("seen_s", "f8"),  # the scheduler takes it in: the end of the step in which it arrived
        ("started_s", "f8"),  # the first step that worked on it began
        ("first_s", "f8"),  # first token
        ("last_s", "f8"),  # last token
        ("others_s", "f8"),  # while writing: what others' prompts added to its steps
        ("lost_s", "f8"),  # from being preempted to the next token
        ("early_s", "f8"),  # that much of it before the first token
        ("mark_s", "f8"),  # writing: the replica's counter of others' time at the start; else: since when it waits
        ("base", "i8"),  # writing: context minus what contexts grew by on the replica; reading: tokens done
        ("goal", "i8"),  # tokens that must be in the cache for the next token to come; not used while writing
        ("end", "i8"),  # writing: the step after which it is finished; else: steps with a token so far
        ("cached", "i8"),  # tokens of the prompt that the cache had at its first start
        ("before", "i4"),  # neighbors in the running or waiting list; children in a waiting heap
        ("after", "i4"),
        ("place", "i4"),  # in the heap of ends; while a prompt ends: the next whose prompt ends
        ("replica", "i4"),
        ("preemptions", "i4"),
        ("state", "i2"),
        ("cause", "i2"),  # of the wait since `mark_s`
    ]
)

# More of a request, where something can happen to it that needs it; else there are no such rows.
MORE = np.dtype(
    [
        ("swap_s", "f8"),  # out of the steps with its pages in the host's memory, or in steps that others' pages delay
        ("transfer_s", "f8"),  # from the end of its prompt at one replica to its first step at another
        ("failed_s", "f8"),  # from a failure to the next token
        ("left_s", "f8"),  # when it was canceled, given up or lost
        ("visible_s", "f8"),  # first token after the reasoning
        ("moved_mark_s", "f8"),  # the replica's counter of such time when it began to write
        ("kept", "i8"),  # tokens of the cache that lie elsewhere: in the host's memory, or at `source`
        ("source", "i8"),  # replica that read the prompt
        ("link", "i8"),  # next of a chain
        ("retries", "i8"),
        ("quits", "i8"),  # the state in which it leaves at the end of the step
    ]
)

REPLICA = np.dtype(
    [
        ("now_s", "f8"),  # the plan's start
        ("until_s", "f8"),  # its end; infinite without one
        ("step_s", "f8"),  # time of its first step, and what each further one takes longer
        ("growth_s", "f8"),
        ("extra_s", "f8"),  # what prompts added to all steps so far, for those that write
        ("added_s", "f8"),  # what they add to the planned step
        ("plan", "i8"),  # steps planned
        ("paid", "i8"),  # of them with their pages taken
        ("step", "i8"),  # steps done
        ("writing", "i8"),
        ("bases", "i8"),  # sum of `base` over those that write
        ("running", "i8"),
        ("reading", "i8"),  # the one whose prompt is read in parts, or -1
        ("ending", "i8"),  # chain of those whose prompt ends with this step, or -1
        ("closing", "i8"),  # its last
        ("tokens", "i8"),  # of prompts in the planned step
        ("head", "i8"),  # running list, by admission
        ("tail", "i8"),
        ("next", "i8"),  # waiting: head of the list, or root of the heap
        ("last", "i8"),
        ("waiting", "i8"),
        ("free", "i8"),  # pages
        ("old", "i8"),  # least and most recently used run of free pages
        ("young", "i8"),
        ("requests", "i8"),  # given to it and not done
        ("work", "i8"),  # their tokens, prompt and answer
        ("pages", "i8"),
        ("kind", "i8"),
        ("place", "i8"),  # in the heap of plans
        ("preemptions", "i8"),
        ("written", "i8"),
        ("read", "i8"),
        ("evicted", "i8"),  # pages whose content was given up
        ("alive", "i8"),
        ("reads_only", "i8"),  # prompts; the answer is written elsewhere
        ("caching", "i8"),  # pages stay and are found again
        ("leaving", "i8"),  # chain of those that leave at the end of the running step
        ("handed", "i8"),  # requests that wait elsewhere and have their pages here
        ("moving", "i8"),  # requests that come here
        ("moving_head", "i8"),
        ("moving_tail", "i8"),
        ("ready", "i8"),  # list of those that are here and wait for a place
        ("ready_last", "i8"),
        ("swapping", "i8"),  # pages to and from the host in the planned step
        ("swapped", "i8"),  # so far
        ("sent", "i8"),  # tokens of the cache that went to other replicas
        ("failures", "i8"),
        ("moved_s", "f8"),  # what swapping added to all steps so far
        ("moving_s", "f8"),  # to the planned one
        ("link_s", "f8"),  # when the link is free
        ("down_s", "f8"),  # time without service; while it is down, since when it is
    ]
)

# A run of pages: those of one block of a prefix on one replica, or one request's own.
RUN = np.dtype([("present", "i8"), ("refs", "i8"), ("older", "i8"), ("younger", "i8")])

# Counters of a whole run.
(
    NEXT, POOL, DONE_COUNT, EVENTS, SPAWNED, REFUSED_COUNT, STUCK, TURN, SECOND_TURN, LEFT_COUNT, ALARMS, FAULT,
    LOBBY, LOBBY_HEAD, LOBBY_TAIL, FIRST_POOL, SECOND_POOL, COMING, COUNTERS,
) = range(19)  # fmt: skip
SERIES = ("busy_s", "writing_s", "read", "written", "pages_s")  # columns, each summed over a bucket
BUCKETS = 512
NEVER = 2**62


class Given(NamedTuple):
    """What does not change during a run: requests and policy."""

    arrival_s: Floats
    prompt: Ints
    output: Ints  # steps that yield the answer: its tokens, or fewer where some are guessed
    most: Ints  # tokens of the cache that it ever holds; empty where these are prompt and answer without the last
    visible: Ints  # the step with the first token after the reasoning; empty if there is none
    patience_s: Floats  # from arrival to being canceled or given up; empty if never
    rank: Ints  # priority; empty if there is none
    session: Ints
    following: Ints  # request that a finish releases, or -1; empty if there is none
    delay_s: Floats
    blocks: Ints  # (requests + 1) offsets into `nodes`
    nodes: Ints  # trie nodes along each prompt
    node_pages: Ints
    node_start: Ints  # pages before the node
    draws: Floats  # (requests, 2 or 4) uniform numbers
    assigned: Ints  # (stages, requests) place in the pool where the router needs no state
    policy: Ints
    numbers: Floats
    fault_s: Floats  # changes of one period
    fault_replica: Ints
    fault_up: Ints
    slow: Floats  # (kinds,) time of a token, over that of the first kind
    token_B: Floats
    rows_s: Floats  # (kinds, rows + 1)
    context: Floats  # (kinds, knots)
    context_s: Floats  # (kinds, sequences + 1, knots)
    mixed_s: Floats  # of the same shape: in steps that also read a prompt
    pairs: Floats  # (kinds, knots)
    pairs_s: Floats
    sequence_s: Floats  # (kinds,)
    fetched_B: Floats  # (kinds, rows + 1) of weights in a step


# Columns of `Given.policy`.
(
    BUDGET, SEQUENCES, PAGE, CHUNKED, RESERVE, ORDER, CACHING, ROUTER, QUEUE_LIMIT, NODES, CLIENTS, GIVEN,
    WIDTH, GROWTH, SWAP, RICH, RETRY, SPLIT, LOOKAHEAD, POLICY_COLUMNS,
) = range(20)  # fmt: skip
# Columns of `Given.numbers`.
SWAP_B_S, LINK_B_S, LINK_LATENCY_S, DRAFT_S, PERIOD_S, RTT_S, TIMEOUT_S, NUMBERS = range(8)


class State(NamedTuple):
    """What changes during a run."""

    requests: Rows
    more: Rows
    replicas: Rows
    residues: Ints  # (replicas, page): those that write, by base modulo the page
    end_keys: Floats  # (replicas, sequences + 1): heap of the steps at which requests end
    end_items: Ints
    plan_keys: Floats  # heap of the replicas' plans
    plan_items: Ints
    late_keys: Floats  # heap of arrivals that a finish released
    late_items: Ints
    late_place: Ints
    alarm_keys: Floats  # heap of what comes at a time: request i leaves; requests + i: it has come over; a fault
    alarm_items: Ints
    alarm_place: Ints
    pools: Ints  # (stages, replicas) those that are up, by stage: all, or those that read and those that write
    runs: Rows
    homes: Ints  # (stages, sessions) replica of each session, -1 before its first request
    ledger: Floats  # (replicas, columns) for the account of energy
    series: Floats  # (buckets, columns)
    width_s: Floats  # (1,) of a bucket
    counters: Ints


def given(work: Workload, deployment: Deployment) -> Given:
    """Put a workload and a deployment into arrays."""
    from roundtrip.fleet import speculate
    from roundtrip.fleet.faults import changes
    from roundtrip.fleet.ledger import fetched_B
    from roundtrip.fleet.route import assign

    no_ints = np.empty(0, np.int64)
    policy, numbers = np.zeros(POLICY_COLUMNS, np.int64), np.zeros(NUMBERS)
    caching = deployment.prefix_cache
    nodes, offsets, pages, start = no_ints, no_ints, no_ints, no_ints
    if caching:
        offsets, nodes, pages, start = work.trie(deployment.page_tokens)
    drafts, acceptance = deployment.draft_tokens, deployment.acceptance
    output = speculate.steps(work.output, drafts, acceptance, deployment.seed)
    growth = speculate.growth(drafts, acceptance)
    policy[BUDGET], policy[SEQUENCES] = deployment.token_budget, deployment.max_sequences
    policy[PAGE], policy[WIDTH], policy[GROWTH] = deployment.page_tokens, deployment.width, growth
    policy[CHUNKED], policy[RESERVE] = deployment.chunked_prefill, ADMISSION.index(deployment.admission)
    policy[ORDER] = POLICIES.index(deployment.policy)
    policy[CACHING], policy[NODES] = caching, len(pages)
    policy[ROUTER] = ROUTERS.index(deployment.router)
    policy[QUEUE_LIMIT] = deployment.queue_limit
    policy[CLIENTS], policy[GIVEN] = work.clients, work.given
    policy[SWAP], policy[RETRY] = deployment.preemption == "swap", deployment.on_failure == "retry"
    policy[SPLIT], policy[RICH] = deployment.prefill_replicas, _is_rich(work, deployment)
    policy[LOOKAHEAD] = deployment.plans_ahead
    fault_s, fault_replica, fault_up, period_s = changes(deployment)
    numbers[[SWAP_B_S, LINK_B_S, LINK_LATENCY_S]] = deployment.swap_B_s, deployment.link_B_s, deployment.link_latency_s
    numbers[[DRAFT_S, PERIOD_S, RTT_S]] = deployment.draft_s, period_s, deployment.network_rtt_s
    numbers[TIMEOUT_S] = deployment.timeout_s or np.inf
    draws, assigned = assign(work, deployment)
    kinds = deployment.kinds
    knots = max(len(kind.times.context) for kind in kinds)
    pair_knots = max(len(kind.times.pairs) for kind in kinds)
    tables = [kind.times.padded(knots, pair_knots) for kind in kinds]
    slow = np.array([kind.token_s(deployment.max_sequences) for kind in kinds])
    return Given(
        arrival_s=work.arrival_s,
        prompt=work.prompt,
        output=output,
        most=speculate.bound(work.prompt, output, growth) if drafts else no_ints,
        visible=_visible(work, output),
        patience_s=_patience_s(work, deployment),
        rank=work.priority if deployment.policy == "priority" else no_ints,
        session=work.session,
        following=work.following,
        delay_s=work.delay_s,
        blocks=offsets,
        nodes=nodes,
        node_pages=pages,
        node_start=start,
        draws=draws,
        assigned=assigned,
        policy=policy,
        numbers=numbers,
        fault_s=fault_s,
        fault_replica=fault_replica,
        fault_up=fault_up,
        slow=slow / slow[0],
        token_B=np.array([kind.token_B for kind in kinds]),
        rows_s=np.stack([t.rows_s for t in tables]),
        context=np.stack([t.context for t in tables]),
        context_s=np.stack([t.context_s for t in tables]),
        mixed_s=np.stack([t.mixed_s for t in tables]),
        pairs=np.stack([t.pairs for t in tables]),
        pairs_s=np.stack([t.pairs_s for t in tables]),
        sequence_s=np.array([t.sequence_s for t in tables]),
        fetched_B=fetched_B(deployment),
    )


def _is_rich(work: Workload, deployment: Deployment) -> bool:
    """Say whether something can happen to a request that needs a row of `MORE`."""
    d = deployment
    return bool(
        len(work.cancel_s) or len(work.reasoning) or d.timeout_s or d.preemption == "swap" or d.fails
        or d.prefill_replicas
    )  # fmt: skip


def _visible(work: Workload, output: Ints) -> Ints:
    """Return the step that yields the first token after the reasoning: in proportion, where some are guessed."""
    if not len(work.reasoning):
        return np.empty(0, np.int64)
    first = work.reasoning + 1
    scaled = 1 + -(-(first - 1) * (output - 1) // np.maximum(work.output - 1, 1))
    return np.where(first > work.output, NEVER, scaled)


def _patience_s(work: Workload, deployment: Deployment) -> Floats:
    if not deployment.timeout_s:
        return work.cancel_s
    limit = np.full(len(work), deployment.timeout_s)
    return np.minimum(limit, work.cancel_s) if len(work.cancel_s) else limit


def fresh(work: Workload, deployment: Deployment, fixed: Given) -> State:
    """Return the state before the first arrival."""
    from roundtrip.fleet.ledger import COLUMNS

    count, replicas = len(work.arrival_s), len(deployment.replicas)
    requests = _ahead(count)
    more = np.zeros(count if fixed.policy[RICH] else 0, MORE)
    more["left_s"] = more["visible_s"] = np.nan
    more["source"] = more["link"] = -1
    machines = _machines(deployment)
    nodes = int(fixed.policy[NODES])
    runs = np.zeros(replicas * nodes + count + replicas if deployment.prefix_cache else 0, RUN)
    runs["older"] = runs["younger"] = -1
    if deployment.prefix_cache:  # at first all pages are one run that holds nothing
        empty = replicas * nodes + count + np.arange(replicas)
        runs["present"][empty] = machines["pages"]
        machines["old"] = machines["young"] = empty
    late = count - work.given if len(work.following) or work.clients else 0
    counters = np.zeros(COUNTERS, np.int64)
    counters[POOL] = work.given
    counters[[STUCK, LOBBY_HEAD, LOBBY_TAIL]] = -1
    first = deployment.prefill_replicas or replicas
    counters[[FIRST_POOL, SECOND_POOL]] = first, replicas - first
    pools = np.zeros((2, replicas), np.int64)
    pools[0, :first], pools[1, : replicas - first] = np.arange(first), np.arange(first, replicas)
    alarms = 2 * count + 1 if fixed.policy[RICH] else 0
    alarm_keys, alarm_items = np.zeros(alarms), np.zeros(alarms, np.int64)
    if len(fixed.fault_s):
        alarm_keys[0], alarm_items[0], counters[ALARMS] = fixed.fault_s[0], 2 * count, 1
    horizon_s = float(work.arrival_s[: work.given].max(initial=0.0))
    homes = int(work.session.max(initial=-1)) + 1
    return State(
        requests=requests,
        more=more,
        replicas=machines,
        residues=np.zeros((replicas, deployment.page_tokens), np.int64),
        end_keys=np.zeros((replicas, deployment.max_sequences + 1)),
        end_items=np.zeros((replicas, deployment.max_sequences + 1), np.int64),
        plan_keys=np.full(replicas, np.inf),
        plan_items=np.arange(replicas, dtype=np.int64),
        late_keys=np.zeros(late),
        late_items=np.zeros(late, np.int64),
        late_place=np.zeros(count if late else 0, np.int64),
        alarm_keys=alarm_keys,
        alarm_items=alarm_items,
        alarm_place=np.zeros(alarms, np.int64),
        pools=pools,
        runs=runs,
        homes=np.full((2, homes), -1, np.int64),
        ledger=np.zeros((replicas, COLUMNS)),
        series=np.zeros((BUCKETS, len(SERIES))),
        width_s=np.array([max(horizon_s / (BUCKETS / 2), 1e-3)]),
        counters=counters,
    )


def _ahead(count: int) -> Rows:
    """Return the rows of requests that have not arrived, all filled at once."""
    row = np.zeros(1, REQUEST)
    for name in ("arrived_s", "seen_s", "started_s", "first_s", "last_s"):
        row[name] = np.nan
    row["before"] = row["after"] = row["place"] = row["replica"] = -1
    rows = np.empty(count, REQUEST)
    rows.view(np.int64).reshape(count, -1)[:] = row.view(np.int64)  # a row is some whole words
    return rows


def _machines(deployment: Deployment) -> Rows:
    """Return the replicas before the first arrival."""
    replicas, reads = len(deployment.replicas), deployment.prefill_replicas
    machines = np.zeros(replicas, REPLICA)
    for name in (
        "reading", "ending", "head", "tail", "next", "last", "old", "young", "place", "leaving", "moving_head",
        "moving_tail", "ready", "ready_last",
    ):  # fmt: skip
        machines[name] = -1
    machines["until_s"] = np.inf
    machines["kind"] = deployment.replicas
    machines["pages"] = machines["free"] = [deployment.kinds[kind].pages for kind in deployment.replicas]
    machines["place"] = np.arange(replicas)
    machines["alive"] = 1
    machines["reads_only"] = np.arange(replicas) < reads
    machines["caching"] = deployment.prefix_cache & ((np.arange(replicas) < reads) | (reads == 0))
    return machines
