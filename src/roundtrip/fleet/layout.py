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

# Where a request stands.
AHEAD, WAITING, READING, WRITING, DONE, REFUSED = range(6)

REQUEST = np.dtype(
    [
        ("arrived_s", "f8"),  # at its replica; NaN until then
        ("started_s", "f8"),  # the first step that worked on it began
        ("first_s", "f8"),  # first token
        ("last_s", "f8"),  # last token
        ("others_s", "f8"),  # while writing: what others' prompts added to its steps
        ("lost_s", "f8"),  # from being preempted to the next token
        ("early_s", "f8"),  # that much of it before the first token
        ("mark_s", "f8"),  # writing: the replica's counter of such time at the start; preempted: when
        ("base", "i8"),  # writing: context minus steps of the replica; reading: tokens done; preempted: full pages kept
        ("end", "i8"),  # writing: the step after which it is finished; else: tokens written so far
        ("cached", "i8"),  # tokens of the prompt that the cache had at its first start
        ("before", "i4"),  # neighbors in the running or waiting list; children in a waiting heap
        ("after", "i4"),
        ("place", "i4"),  # in the heap of ends; while a prompt ends: the next whose prompt ends
        ("replica", "i4"),
        ("preemptions", "i4"),
        ("state", "i4"),
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
    ]
)

# A run of pages: those of one block of a prefix on one replica, or one request's own.
RUN = np.dtype([("present", "i8"), ("refs", "i8"), ("older", "i8"), ("younger", "i8")])

# Counters of a whole run.
NEXT, POOL, DONE_COUNT, EVENTS, SPAWNED, REFUSED_COUNT, STUCK, TURN, COUNTERS = range(9)
SERIES = ("busy_s", "writing_s", "read", "written", "pages_s")  # columns, each summed over a bucket
BUCKETS = 512


class Given(NamedTuple):
    """What does not change during a run: requests and policy."""

    arrival_s: Floats
    prompt: Ints
    output: Ints
    rank: Ints  # priority; empty if there is none
    session: Ints
    following: Ints  # request that a finish releases, or -1; empty if there is none
    delay_s: Floats
    blocks: Ints  # (requests + 1) offsets into `nodes`
    nodes: Ints  # trie nodes along each prompt
    node_pages: Ints
    node_start: Ints  # pages before the node
    draws: Floats  # (requests, 2) uniform numbers
    assigned: Ints  # replica of each request where the router needs no state
    policy: Ints
    rows_s: Floats  # (kinds, rows + 1)
    context: Floats  # (kinds, knots)
    context_s: Floats  # (kinds, sequences + 1, knots)
    mixed_s: Floats  # of the same shape: in steps that also read a prompt
    pairs: Floats  # (kinds, knots)
    pairs_s: Floats
    sequence_s: Floats  # (kinds,)


# Columns of `Given.policy`.
(
    BUDGET, SEQUENCES, PAGE, CHUNKED, RESERVE, ORDER, CACHING, ROUTER, QUEUE_LIMIT, NODES, CLIENTS, GIVEN, WIDTH,
) = range(13)  # fmt: skip


class State(NamedTuple):
    """What changes during a run."""

    requests: Rows
    replicas: Rows
    residues: Ints  # (replicas, page): those that write, by base modulo the page
    end_keys: Floats  # (replicas, sequences + 1): heap of the steps at which requests end
    end_items: Ints
    plan_keys: Floats  # heap of the replicas' plans
    plan_items: Ints
    late_keys: Floats  # heap of arrivals that a finish released
    late_items: Ints
    late_place: Ints
    runs: Rows
    homes: Ints  # replica of each session, -1 before its first request
    series: Floats  # (buckets, columns)
    width_s: Floats  # (1,) of a bucket
    counters: Ints


def given(work: Workload, deployment: Deployment) -> Given:
    """Put a workload and a deployment into arrays."""
    from roundtrip.fleet.route import assign

    no_ints = np.empty(0, np.int64)
    policy = np.zeros(WIDTH, np.int64)
    caching = deployment.prefix_cache
    nodes, offsets, pages, start = no_ints, no_ints, no_ints, no_ints
    if caching:
        offsets, nodes, pages, start = work.trie(deployment.page_tokens)
    policy[BUDGET], policy[SEQUENCES] = deployment.token_budget, deployment.max_sequences
    policy[PAGE] = deployment.page_tokens
    policy[CHUNKED], policy[RESERVE] = deployment.chunked_prefill, ADMISSION.index(deployment.admission)
    policy[ORDER] = POLICIES.index(deployment.policy)
    policy[CACHING], policy[NODES] = caching, len(pages)
    policy[ROUTER] = ROUTERS.index(deployment.router)
    policy[QUEUE_LIMIT] = deployment.queue_limit
    policy[CLIENTS], policy[GIVEN] = work.clients, work.given
    draws, assigned = assign(work, deployment)
    kinds = deployment.kinds
    knots = max(len(kind.times.context) for kind in kinds)
    pair_knots = max(len(kind.times.pairs) for kind in kinds)
    tables = [kind.times.padded(knots, pair_knots) for kind in kinds]
    return Given(
        arrival_s=work.arrival_s,
        prompt=work.prompt,
        output=work.output,
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
        rows_s=np.stack([t.rows_s for t in tables]),
        context=np.stack([t.context for t in tables]),
        context_s=np.stack([t.context_s for t in tables]),
        mixed_s=np.stack([t.mixed_s for t in tables]),
        pairs=np.stack([t.pairs for t in tables]),
        pairs_s=np.stack([t.pairs_s for t in tables]),
        sequence_s=np.array([t.sequence_s for t in tables]),
    )


def fresh(work: Workload, deployment: Deployment, fixed: Given) -> State:
    """Return the state before the first arrival."""
    count, replicas = len(work.arrival_s), len(deployment.replicas)
    requests = np.zeros(count, REQUEST)
    for name in ("arrived_s", "started_s", "first_s", "last_s"):
        requests[name] = np.nan
    requests["before"] = requests["after"] = requests["place"] = requests["replica"] = -1
    machines = np.zeros(replicas, REPLICA)
    for name in ("reading", "ending", "head", "tail", "next", "last", "old", "young", "place"):
        machines[name] = -1
    machines["until_s"] = np.inf
    machines["kind"] = deployment.replicas
    machines["pages"] = machines["free"] = [deployment.kinds[kind].pages for kind in deployment.replicas]
    machines["place"] = np.arange(replicas)
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
    counters[STUCK] = -1
    horizon_s = float(work.arrival_s[: work.given].max(initial=0.0))
    homes = int(work.session.max(initial=-1)) + 1
    return State(
        requests=requests,
        replicas=machines,
        residues=np.zeros((replicas, deployment.page_tokens), np.int64),
        end_keys=np.zeros((replicas, deployment.max_sequences + 1)),
        end_items=np.zeros((replicas, deployment.max_sequences + 1), np.int64),
        plan_keys=np.full(replicas, np.inf),
        plan_items=np.arange(replicas, dtype=np.int64),
        late_keys=np.zeros(late),
        late_items=np.zeros(late, np.int64),
        late_place=np.zeros(count if late else 0, np.int64),
        runs=runs,
        homes=np.full(homes, -1, np.int64),
        series=np.zeros((BUCKETS, len(SERIES))),
        width_s=np.array([max(horizon_s / (BUCKETS / 2), 1e-3)]),
        counters=counters,
    )
