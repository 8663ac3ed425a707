from datetime import date
from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def run(inputs, params):
    due, paid = date.fromisoformat(inputs["due_date"]), date.fromisoformat(inputs["payment_date"])
    if paid < due:
        raise ValueError("The payment was made before it was due.")
    amount, percent = D(inputs["amount"]), D(params["rate_percent"])
    days = (paid - due).days
    interest = cent(amount * percent / 100 * days / 365)
    steps = [
        ("Rate on the day of payment, in percent", float(percent), "S.I. 580/2012 reg. 4; Directive 2011/7/EU arts. 2(6), 3"),
        ("Days late", days, None),
        ("Simple interest, days by 365", interest, "S.I. 580/2012 reg. 5"),
    ]
    compensation = D("0.00")
    if inputs["claim_compensation"] and days > 0:
        for band in params["compensation"][inputs["jurisdiction"]]:
            if band["to"] is None or amount <= D(band["to"]):
                compensation = cent(D(band["amount"]))
                break
        steps.append(("Compensation for recovery costs", compensation, "S.I. 580/2012 reg. 9"))
    return {
        "outputs": {
            "annual_rate_percent": float(percent),
            "days": days,
            "interest": interest,
            "compensation": compensation,
            "total": interest + compensation,
        },
        "steps": steps,
    }
