from collections import deque
from datetime import date, timedelta
from decimal import Decimal as D, ROUND_HALF_UP

FOUR_WEEKS = timedelta(days=28)


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def day(text):
    return date.fromisoformat(text)


def years_owned(start, end):
    """Whole and part years between two dates, a part year counted by days of 365."""
    whole = end.year - start.year - ((end.month, end.day) < (start.month, start.day))
    try:
        last = start.replace(year=start.year + whole)
    except ValueError:
        last = date(start.year + whole, 3, 1)
    return D(whole) + D((end - last).days) / 365


def property_relief(gain, disposal, rule):
    """Property bought from 7 December 2011 to the end of 2014: seven years of ownership are relieved."""
    if rule is None:
        raise ValueError("The relief for property of 2011 to 2014 is known for disposals from 2018 on.")
    acquired, disposed = disposal.get("acquired"), disposal.get("disposed")
    if not acquired or not disposed:
        raise ValueError("The relief for property of 2011 to 2014 needs the dates of purchase and sale.")
    start, end = day(acquired), day(disposed)
    if not day(rule["bought_from"]) <= start <= day(rule["bought_to"]):
        raise ValueError("The relief is for property bought from 7 December 2011 to 31 December 2014.")
    owned = years_owned(start, end)
    if owned < D(rule["least_years"]):
        raise ValueError("The relief needs at least four years of ownership.")
    if gain <= 0:
        return D(0)
    return gain if owned <= D(rule["years"]) else gain * D(rule["years"]) / owned


class Lot:
    def __init__(self, when, quantity, cost):
        self.when, self.quantity, self.cost = when, quantity, cost


def take(lots, quantity, keep):
    """Cost of a quantity from the lots that `keep` accepts, in their order; what is used up leaves."""
    cost, taken = D(0), D(0)
    for lot in lots:
        if taken == quantity:
            break
        if lot.quantity == 0 or not keep(lot):
            continue
        part = min(lot.quantity, quantity - taken)
        share = lot.cost * part / lot.quantity
        lot.cost -= share
        lot.quantity -= part
        cost += share
        taken += part
    return cost, taken


def share_disposals(trades, year):
    """Gains of the year's sales: bought within four weeks before first, then first in, first out (ss. 580, 581)."""
    order = sorted(enumerate(trades), key=lambda each: (each[1]["date"], each[1]["side"] == "sell", each[0]))
    lots, tied, results = {}, {}, []
    buys = {}
    for _, trade in order:
        if trade["side"] == "buy":
            buys.setdefault(trade["security"], []).append((day(trade["date"]), D(trade["quantity"])))
    for _, trade in order:
        name, when, quantity = trade["security"], day(trade["date"]), D(trade["quantity"])
        fees = D(trade["fees"])
        if trade["side"] == "buy":
            lots.setdefault(name, deque()).append(Lot(when, quantity, quantity * D(trade["price"]) + fees))
            continue
        held = lots.setdefault(name, deque())
        if sum((lot.quantity for lot in held), D(0)) < quantity:
            raise ValueError(f"More of {name} is sold on {when} than was bought before.")
        recent = lambda lot: when - FOUR_WEEKS <= lot.when <= when
        cost, taken = take(held, quantity, recent)
        rest, _ = take(held, quantity - taken, lambda lot: True)
        gain = quantity * D(trade["price"]) - fees - cost - rest
        restricted = D(0)
        again = sum((count for bought, count in buys.get(name, []) if when < bought <= when + FOUR_WEEKS), D(0))
        if gain < 0 and again > 0:
            # Usable only against a later gain on the shares that were bought again; the rest of the loss is free.
            restricted = -gain * min(again / quantity, D(1))
            tied[name] = tied.get(name, D(0)) + restricted
            gain += restricted
        elif gain > 0 and tied.get(name, D(0)) > 0:
            used = min(gain, tied[name])
            tied[name] -= used
            gain -= used
        if when.year == year:
            results.append((name, when, gain, restricted))
    return results, {name: loss for name, loss in tied.items() if loss > 0}


def run(inputs, params):
    year = inputs["year"]
    steps, gains, losses, relief = [], D(0), D(0), D(0)
    early, late = D(0), D(0)

    def count(label, amount, when, provision):
        nonlocal gains, losses, early, late
        if amount >= 0:
            gains += amount
        else:
            losses -= amount
        if when is not None and when.month == 12:
            late += amount
        else:
            early += amount
        steps.append((label, cent(amount), provision))

    for number, disposal in enumerate(inputs["disposals"] or [], 1):
        when = day(disposal["disposed"]) if disposal.get("disposed") else None
        if when is not None and when.year != year:
            raise ValueError(f"Disposal {number} was made in {when.year}, not in {year}.")
        gain = D(disposal["proceeds"]) - D(disposal["cost"]) - D(disposal["expenses"])
        if disposal.get("relief_7_year_property"):
            saved = property_relief(gain, disposal, params.get("property_relief"))
            relief += saved
            gain -= saved
            steps.append(("Relief for property of 2011 to 2014", cent(saved), "TCA 1997 s. 604A"))
        count(f"Gain or loss on disposal {number}", gain, when, "TCA 1997 s. 28")

    sales, tied = share_disposals(inputs["share_trades"] or [], year)
    for name, when, gain, restricted in sales:
        if restricted:
            steps.append((f"Loss on {name}, usable only against the shares bought again", cent(-restricted), "TCA 1997 s. 581"))
            if gain == 0:
                continue
        count(f"Gain or loss on {name} sold on {when}", gain, when, "TCA 1997 s. 580")

    business = D(inputs["entrepreneur_gain"])
    reduced, reduced_rate = D(0), D(0)
    if business > 0:
        rule = params.get("entrepreneur_relief")
        if rule is None:
            raise ValueError("The relief for entrepreneurs is known for disposals from 2017 on.")
        reduced_rate = D(rule["rate"])
        # All earlier gains, and those of them that were made before 2026.
        before_2026 = D(inputs["entrepreneur_gains_before_2026"])
        before = max(D(inputs["entrepreneur_gains_before"]), before_2026)
        counted = before
        if rule.get("earlier_gains_up_to") is not None:
            counted = before - before_2026 + min(before_2026, D(rule["earlier_gains_up_to"]))
        left = max(D(rule["lifetime_limit"]) - counted, D(0))
        reduced = min(business, left)
        steps.append(("Gain within the lifetime limit of entrepreneur relief", cent(reduced), "TCA 1997 s. 597AA"))
        count("Gain on business assets", business, None, "TCA 1997 s. 597AA")

    net = gains - losses
    brought = D(inputs["losses_forward"])
    used_forward = min(max(net, D(0)), brought)
    after_losses = net - used_forward
    carry = (brought - used_forward) + max(-net, D(0))
    steps.append(("Gains less losses of the year", cent(net), "TCA 1997 s. 31"))
    if brought > 0:
        steps.append(("Losses brought forward that are used", cent(used_forward), "TCA 1997 s. 31"))

    exemption = min(D(params["annual_exemption"]), max(after_losses, D(0)))
    steps.append(("Annual exemption", cent(exemption), "TCA 1997 s. 601"))
    taxable = max(after_losses, D(0)) - exemption
    # Losses and the exemption go first against what is taxed at the full rate.
    at_reduced = min(reduced, taxable)
    at_full = taxable - at_reduced
    rate = D(params["rate"])
    tax = cent(at_full * rate + at_reduced * reduced_rate)
    if at_reduced > 0:
        steps.append(("Tax at 10 %", cent(at_reduced * reduced_rate), "TCA 1997 s. 597AA"))
    steps.append(("Tax at 33 %", cent(at_full * rate), "TCA 1997 s. 28(3)"))
    for name, loss in tied.items():
        steps.append((f"Loss kept for the shares of {name}", cent(loss), "TCA 1997 s. 581"))
    return {
        "outputs": {
            "net_gains": cent(net),
            "relief": cent(relief),
            "exemption_used": cent(exemption),
            "taxable_gain": cent(taxable),
            "cgt": tax,
            "losses_to_carry": cent(carry),
            "restricted_losses": cent(sum(tied.values(), D(0))),
            "due_dates": [
                {"gains": "January to November", "due": f"{year}-12-15"},
                {"gains": "December", "due": f"{year + 1}-01-31"},
            ],
        },
        "steps": steps,
    }
