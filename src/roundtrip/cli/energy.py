"""``roundtrip energy``: energy, water, carbon and cost of one prompt, inside a boundary that the reader draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.inputs import check_samples, read_prompt, read_scenario, scenario_options
from roundtrip.cli.output import as_json, check_svg, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.journey.boundary import Account
    from roundtrip.journey.load_curve import Curve
    from roundtrip.journey.reconcile import Case
    from roundtrip.journey.scenario import Scenario


@click.command()
@click.argument("prompt", required=False)
@scenario_options
@click.option("--boundary", metavar="PARTS", default="all", show_default=True,
              help="Any of chip,host,idle,pue,network,client,embodied,training.")  # fmt: skip
@click.option("--hour", type=float, metavar="H", help="Hour of the day by the sun at each grid, 0 to 24.")
@click.option("--market", is_flag=True, help="Carbon by the operator's contracts, not by place.")
@click.option("--marginal", is_flag=True, help="Carbon of one kilowatt-hour more, not of the average one.")
@click.option("--without-reservoirs", is_flag=True, help="Leave the evaporation of hydropower's reservoirs out.")
@click.option("--cached", type=float, default=0.0, metavar="SHARE", help="Share of the prompt that was read before.")
@click.option("--samples", type=int, default=10_000, show_default=True, help="Samples behind the bands; 0 for none.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@click.option("--reconcile", is_flag=True, help="Work out what others published, from 0.24 to 30 Wh.")
@click.option("--load", is_flag=True, help="Joules a token against the answers that are written at once.")
@as_json
@click.option("--plot", metavar="FILE", help="Draw it as SVG.")
def energy(
    prompt: str | None,
    scenario: str,
    settings: tuple[str, ...],
    boundary: str,
    hour: float | None,
    market: bool,
    marginal: bool,
    without_reservoirs: bool,
    cached: float,
    samples: int,
    seed: int,
    reconcile: bool,
    load: bool,
    as_json: bool,
    plot: str | None,
) -> None:
    """Account for PROMPT: what it draws, where, under whose name, and what that means in water, carbon and money."""
    check_svg(plot)
    if hour is not None and not 0.0 <= hour <= 24.0:
        raise DomainError(f"--hour = {hour:g}, allowed: 0 to 24")
    if not 0.0 <= cached <= 1.0:
        raise DomainError(f"--cached = {cached:g}, allowed: 0 to 1")
    if market and marginal:
        raise DomainError("--market and --marginal ask two questions; choose one")
    if reconcile and load:
        raise DomainError("--reconcile and --load are two reports; choose one")
    check_samples(samples)
    from roundtrip.trace import svg_account

    if reconcile:
        from roundtrip.journey import reconcile as published

        cases = published.reconcile()
        if plot is not None:
            write_whole(plot, svg_account.reconciled(cases, published.energy_J(published.reference())))
        _print([case.as_dict() for case in cases], as_json, reconcile_text(cases, max(width(), 80)))
        return
    chosen = read_scenario(scenario, settings, read_prompt(prompt))
    if load:
        from roundtrip.journey import load_curve

        own = load_curve.curve(chosen)
        if plot is not None:
            write_whole(plot, svg_account.load_curves(load_curve.curves()))
        body = {"model": own.title, "batches": own.batches, "token_J": own.token_J, "closed_J": own.closed_J,
                "coefficients": own.coefficients, "rates_token_s": own.rates, "rate_J": own.rate_J}  # fmt: skip
        _print(body, as_json, load_text(own))
        return
    from roundtrip.journey.boundary import Rules, account, parse_boundary

    method = "market" if market else "marginal" if marginal else "location"
    rules = Rules(hour, method, not without_reservoirs, cached)
    made = account(chosen, parse_boundary(boundary), rules, samples, seed)
    if plot is not None:
        write_whole(plot, svg_account.parts(made.as_dict()))
    if as_json:
        say_json({**made.as_dict(), "other_accounts": other_accounts(chosen, made)})
        return
    _print(None, False, account_text(made, other_accounts(chosen, made)))


def _print(body: Any, as_json: bool, text: str) -> None:
    if as_json:
        say_json(body)
    else:
        say_page(text)


def other_accounts(scenario: Scenario, made: Account) -> list[dict[str, Any]]:
    """Return carbon and water of the same boundary by other rules: hour, contracts, margin, reservoirs."""
    from roundtrip.journey.boundary import Rules, account

    rules = (
        ("by place, average of the year", Rules()),
        ("by place, at noon", Rules(hour_h=12.0)),
        ("by place, at seven in the evening", Rules(hour_h=19.0)),
        ("by the operator's contracts", Rules(method="market")),
        ("of one kilowatt-hour more", Rules(method="marginal")),
        ("without reservoirs", Rules(reservoirs=False)),
    )
    rows: list[dict[str, Any]] = []
    for title, rule in rules:
        one = account(scenario, made.boundary, rule)
        water_L = float(one.total("water_on_site_L")) + float(one.total("water_off_site_L"))
        rows.append({"account": title, "carbon_g": float(one.total("carbon_g")), "water_L": water_L})
    return rows


def account_text(made: Account, others: Sequence[dict[str, Any]]) -> str:
    """Return an account as text."""
    from roundtrip.trace.numbers import band, digits, si

    body = made.as_dict()
    head = (
        f"{'part':<10} {'marginal':>10} {'allocated':>10} {'always on':>10} {'on site':>9} {'off site':>9} "
        f"{'carbon':>9} {'money':>12}"
    )
    lines = [head]
    total: dict[str, Any] = {"part": "sum", "energy_heads_J": body["total"], **body["total"]}
    for row in (*body["parts"], total):
        heads = row["energy_heads_J"]
        cells = [si(heads[h], "J") if heads.get(h) else "–" for h in ("marginal", "allocated", "always_on")]
        water = [si(row[n], "L") if row.get(n) else "–" for n in ("water_on_site_L", "water_off_site_L")]
        money = si(row["electricity_usd"], "USD") if row.get("electricity_usd") else "–"
        lines.append(
            f"{row['part']:<10} {cells[0]:>10} {cells[1]:>10} {cells[2]:>10} {water[0]:>9} {water[1]:>9} "
            f"{si(row['carbon_g'], 'g') if row.get('carbon_g') else '–':>9} {money:>12}"
        )
    whole = body["total"]
    told = [("energy", "energy_J", "J"), ("carbon", "carbon_g", "g"), ("water off site", "water_off_site_L", "L")]
    lines.append("")
    for title, name, unit in told:
        low, high = body["bands"].get(name, (whole[name], whole[name]))
        around = f"  (p5–p95: {band(low, high, whole[name], unit)})" if low < high else ""
        extra = f" = {digits(whole[name] / 3600.0)} Wh" if unit == "J" else ""
        lines.append(f"{title:<16} {si(whole[name], unit)}{around}{extra}")
    if whole["rent_usd"]:
        lines.append(
            f"{'rent of chips':<16} {si(whole['rent_usd'], 'USD')}  (pays for their electricity, host and building too)"
        )
    lines += ["", f"{'tokens':<18} {'number':>8} {'each':>10} {'together':>10}"]
    for row in body["tokens"]:
        lines.append(
            f"{row['kind']:<18} {row['tokens']:>8.0f} {si(row['each_J'], 'J'):>10} {si(row['energy_J'], 'J'):>10}"
        )
    lines += ["", f"{'the same joules, accounted otherwise':<38} {'carbon':>10} {'water':>10}"]
    lines += [f"{o['account']:<38} {si(o['carbon_g'], 'g'):>10} {si(o['water_L'], 'L'):>10}" for o in others]
    return "\n".join(lines)


def reconcile_text(cases: Sequence[Case], columns: int) -> str:
    """Return published figures beside ours."""
    from roundtrip.trace.numbers import digits
    from roundtrip.trace.table import wrap

    columns = min(columns, 120)
    head = (
        f"{'published':<30} {'Wh':>6} {'ours':>6} {'range':>11} {'gap':>5}   {'tokens':>6} {'batch':>6} {'machine':>7} "
        f"{'boundary':>8}"
    )
    lines = [head]
    for c in cases:
        around = f"{digits(c.low_J / 3600, 2)}–{digits(c.high_J / 3600, 2)}"
        steps = [f"×{digits(factor, 2):>{room}}" for factor, room in zip(c.steps.values(), (5, 5, 6, 7), strict=True)]
        lines.append(
            f"{c.title:<30} {digits(c.published_J / 3600, 2):>6} {digits(c.ours_J / 3600, 2):>6} {around:>11} "
            f"{digits(c.gap, 2):>5}   {' '.join(steps)}"
        )
    lines += ["", *wrap("Factors are steps from one chat answer on accelerators alone in a full batch to ours; "
                        "gap is published over ours. Nothing is fitted.", columns), ""]  # fmt: skip
    for c in cases:
        r = c.request
        lines.append(f"{c.title}: {', '.join(r.boundary)}; {r.input_tokens:.0f} tokens in, {r.output_tokens:.0f} out, "
                     f"batch {digits(r.batch)}")  # fmt: skip
        lines += wrap(f"  What is said: {c.said}.", columns, "  ")
        if c.formula_J is not None:
            lines += wrap(f"  Its own equation, {c.formula}: {digits(c.formula_J / 3600, 4)} Wh.", columns, "  ")
        closes = [f"{digits(c.tokens_needed, 2)} tokens" if c.tokens_needed else "",
                  f"a batch of {digits(c.batch_needed, 2)}" if c.batch_needed else ""]  # fmt: skip
        closes = [text for text in closes if text]
        if closes:
            lines += wrap(f"  Ours would equal it with {' or with '.join(closes)}.", columns, "  ")
        lines += wrap(f"  Why they differ: {c.why}.", columns, "  ")
    return "\n".join(lines)


def load_text(own: Curve) -> str:
    """Return joules a token against batch."""
    from roundtrip.trace.numbers import digits, si

    lines = [
        f"{own.title}: joules of chip and host for one token",
        "",
        f"{'batch':>7} {'trip':>10} {'closed form':>12}",
    ]
    for batch, trip, form in zip(own.batches, own.token_J, own.closed_J, strict=True):
        lines.append(f"{digits(batch):>7} {si(trip, 'J'):>10} {si(form, 'J'):>12}")
    lines += ["", f"{'tokens/s':>8} {'each':>10}   {own.accelerators:.0f} accelerators that stay on whatever they do"]
    lines += [f"{rate:>8,.0f} {si(joules, 'J'):>10}" for rate, joules in zip(own.rates, own.rate_J, strict=True)]
    k = own.coefficients
    lines += [
        "",
        "closed form: (P (a + b s) + W)/s + e, s streams on one accelerator, with",
        f"P = {si(k['standing_power_W'], 'W')}, a = {si(k['step_fixed_s'], 's')}, b = {si(k['step_stream_s'], 's')}, "
        f"W = {si(k['fetch_energy_J'], 'J')}, e = {si(k['own_energy_J'], 'J')}",
        "",
        "At large batches measured services take more than this, some several times: see --plot, which draws the",
        "measured runs beside it, and docs/explanation/rooms/energy.md.",
    ]
    return "\n".join(lines)
