"""Pages of the cache of keys and values, with what stays in them after a request has left.

The free pages are a list of runs by last use. A run is what one node of the trie of prefixes, or one request's own
text, has left behind; new pages are taken from the tail of the oldest run, so a prefix loses its end before its
beginning. One run at the old end holds nothing: pages never used, and half-filled ones that were given up.

Own pages (end of the prompt, answer) are found again only by their own request, when it comes back after a preemption.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled


@compiled
def take(replica: Any, runs: Any, pages: int, empty: int) -> None:
    """Take pages from the old end of the free list."""
    replica["free"] -= pages
    while pages > 0:
        run = replica["old"]
        there = runs[run]["present"]
        part = min(there, pages)
        runs[run]["present"] = there - part
        pages -= part
        if run != empty:
            replica["evicted"] += part
        if there == part:
            unlink(replica, runs, run)


@compiled
def unlink(replica: Any, runs: Any, run: int) -> None:
    """Take a run out of the free list; pages are counted by the caller."""
    older, younger = runs[run]["older"], runs[run]["younger"]
    if older >= 0:
        runs[older]["younger"] = younger
    else:
        replica["old"] = younger
    if younger >= 0:
        runs[younger]["older"] = older
    else:
        replica["young"] = older
    runs[run]["older"] = -1
    runs[run]["younger"] = -1


@compiled
def release(replica: Any, runs: Any, run: int) -> None:
    """Append a run to the young end of the free list, with all its pages."""
    present = runs[run]["present"]
    if present == 0:
        return
    replica["free"] += present
    last = replica["young"]
    runs[run]["older"] = last
    runs[run]["younger"] = -1
    if last >= 0:
        runs[last]["younger"] = run
    else:
        replica["old"] = run
    replica["young"] = run


@compiled
def give_up(replica: Any, runs: Any, empty: int, pages: int) -> None:
    """Return pages that hold nothing worth keeping: to the old end of the free list."""
    replica["free"] += pages
    runs[empty]["present"] += pages
    if runs[empty]["present"] > pages:
        return
    first = replica["old"]
    runs[empty]["older"] = -1
    runs[empty]["younger"] = first
    if first >= 0:
        runs[first]["older"] = empty
    else:
        replica["young"] = empty
    replica["old"] = empty


@compiled
def path_pages(fixed: Any, i: int) -> int:
    """Return the full pages of a prompt that the trie knows."""
    last = fixed.blocks[i + 1] - 1
    if last < fixed.blocks[i]:
        return 0
    node = fixed.nodes[last]
    return fixed.node_start[node] + fixed.node_pages[node]


@compiled
def found(fixed: Any, runs: Any, base: int, own: int, i: int) -> tuple[int, int]:
    """Return the pages that the cache has for a request, and how many of them lie in the free list.

    Parameters
    ----------
    base, own : int
        Where the runs of the replica's nodes start, and the run of the request itself.
    """
    pages, idle = 0, 0
    whole = True
    for at in range(fixed.blocks[i], fixed.blocks[i + 1]):
        node = fixed.nodes[at]
        present = runs[base + node]["present"]
        pages += present
        if runs[base + node]["refs"] == 0:
            idle += present
        if present < fixed.node_pages[node]:
            whole = False
            break
    if whole and runs[own]["present"] > 0:
        pages += runs[own]["present"]
        idle += runs[own]["present"]
    return pages, idle


@compiled
def hold(fixed: Any, replica: Any, runs: Any, base: int, own: int, i: int, pages: int) -> None:
    """Hold the first pages that `found` counted: what lies in the free list leaves it."""
    held = 0
    for at in range(fixed.blocks[i], fixed.blocks[i + 1]):
        if held >= pages:
            return
        run = base + fixed.nodes[at]
        present = runs[run]["present"]
        if runs[run]["refs"] == 0 and present > 0:
            unlink(replica, runs, run)
            replica["free"] -= present
        runs[run]["refs"] += 1
        held += present
    if held < pages:
        unlink(replica, runs, own)
        replica["free"] -= runs[own]["present"]
        runs[own]["present"] = 0


@compiled
def fill(fixed: Any, runs: Any, base: int, i: int, held: int, after: int, page: int) -> None:
    """Count what a part of a prompt adds: nodes that it reaches are held, their full pages can be found by others.

    Parameters
    ----------
    held : int
        Pages of the request so far.
    after : int
        Its tokens in the cache with this part.
    page : int
        Tokens of a page.
    """
    pages = -(-after // page)
    full = after // page
    for at in range(fixed.blocks[i + 1] - 1, fixed.blocks[i] - 1, -1):
        node = fixed.nodes[at]
        start = fixed.node_start[node]
        if start >= pages:
            continue
        if start >= held:
            runs[base + node]["refs"] += 1
        elif runs[base + node]["present"] >= fixed.node_pages[node]:
            return
        there = min(fixed.node_pages[node], full - start)
        runs[base + node]["present"] = max(runs[base + node]["present"], there)


@compiled
def knows(fixed: Any, runs: Any, base: int, i: int, place: int) -> bool:
    """Say whether a page of a request, by its place, can be found by others: then it is full, whoever filled it."""
    for at in range(fixed.blocks[i], fixed.blocks[i + 1]):
        node = fixed.nodes[at]
        start = fixed.node_start[node]
        if start <= place < start + fixed.node_pages[node]:
            return place < start + runs[base + node]["present"]
    return False


@compiled
def leave(
    fixed: Any, replica: Any, runs: Any, base: int, own: int, empty: int, i: int, tokens: int, page: int, stays: bool
) -> None:
    """Let go of a request's pages, its own first, then its prefix from the end.

    Parameters
    ----------
    tokens : int
        Tokens of the request in the cache.
    stays : bool
        The request will come back: a half-filled last page is given up, its full ones wait for it.
    """
    held = -(-tokens // page)
    full = tokens // page if stays else held
    prefix = path_pages(fixed, i)
    if held > full and not knows(fixed, runs, base, i, full):
        give_up(replica, runs, empty, 1)
    if full > prefix:
        runs[own]["present"] = full - prefix
        release(replica, runs, own)
    for at in range(fixed.blocks[i + 1] - 1, fixed.blocks[i] - 1, -1):
        node = fixed.nodes[at]
        if fixed.node_start[node] >= held:
            continue
        run = base + node
        runs[run]["refs"] -= 1
        if runs[run]["refs"] == 0:
            release(replica, runs, run)


@compiled
def forget(replica: Any, runs: Any, empty: int) -> None:
    """Give up all that the free pages of a replica hold, when it has lost its memory and nobody holds a page."""
    run = replica["old"]
    while run >= 0:
        following = runs[run]["younger"]
        runs[run]["present"] = 0
        runs[run]["older"] = -1
        runs[run]["younger"] = -1
        run = following
    runs[empty]["present"] = replica["pages"]
    replica["free"] = replica["pages"]
    replica["old"] = empty
    replica["young"] = empty
