"""The page: statements, results, findings and figures of all claims, in one self-contained HTML file."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from ridgeway.paper.claim import Claim, Finding, Form, Kind, Result
from ridgeway.paper.outcome import Outcome, summary

SUPERSCRIPT = re.compile(r"\^(\{[^}]*\}|\([^)]*\)|-?½|-?\w+(?:\.\d+)?)")
SUBSCRIPT = re.compile(r"_(\{[^}]*\}|max|[a-z0-9](?![A-Za-z0-9_]))")
QUESTIONS = "The paper's open questions"
ANSWERED = (
    "The paper ends with questions: does geometric averaging regularise accelerated and variance-reduced methods, "
    "linear stochastic approximation, temporal-difference learning? These items answer them, and two more: whether the "
    "step has to be constant, and what becomes of another loss."
)
BADGES = {Result.HOLDS: "holds", Result.CORRECTED: "corrected", Result.FAILS: "fails", Result.SHOWN: "shown"}


def page(claims: Sequence[Claim], outcomes: Sequence[Outcome], seed: int, quick: bool) -> str:
    """Return the HTML of the page."""
    style = files("ridgeway.paper").joinpath("page.css").read_text(encoding="utf-8")
    pairs = list(zip(claims, outcomes, strict=True))
    statements = [pair for pair in pairs if pair[0].kind is not Kind.QUESTION]
    questions = [pair for pair in pairs if pair[0].kind is Kind.QUESTION]
    contents = _contents("The paper's claims", statements) + _contents(QUESTIONS, questions)
    sections = "\n".join(_section(claim, outcome) for claim, outcome in statements)
    answers = "\n".join(_section(claim, outcome) for claim, outcome in questions)
    opening = f'<h2 class="part">{QUESTIONS}</h2>\n<p>{ANSWERED}</p>\n' if questions else ""
    size = "fewer settings (quick)" if quick else "all settings"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The paper, checked</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>The paper, checked</h1>
<p>Every claim of Neu and Rosasco, <em>Iterate averaging as regularization for stochastic gradient descent</em>
(COLT 2018), as a computation. A result follows from the findings below it: the statement is compared with exact
expectations, exact risks or brute force, as printed and, where that fails, as corrected.</p>
<p>{escape(summary(outcomes))}. Seed {seed}, {escape(size)}.</p>
<p class="small">Σ = E[xx′], w* the minimiser of the risk, η the step, λ the ridge strength (alpha in the library),
ρ = 1/(1+ηλ) the discount, γ = ηρ, so that 1-γλ = ρ; v = w₀-w*; S(j) the survival function of an average.</p>
<nav aria-label="Items">
{contents}</nav>
{sections}
{opening}{answers}
</main>
</body>
</html>
"""


def _contents(heading: str, pairs: Sequence[tuple[Claim, Outcome]]) -> str:
    """Return a table of contents of some items; an empty text if there are none."""
    if not pairs:
        return ""
    lines = "\n".join(_line_of_contents(claim, outcome) for claim, outcome in pairs)
    return f"""<h2>{heading}</h2>
<table class="contents">
<thead><tr><th>item</th><th>claim</th><th>result</th></tr></thead>
<tbody>
{lines}
</tbody>
</table>
"""


def number_text(value: float) -> str:
    """Return a number with four digits; very small and very large ones with a power of ten.

    Examples
    --------
    >>> number_text(0.49135), number_text(3.2e-16), number_text(21900.0)
    ('0.4914', '3.2e-16', '21,900')
    """
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:.4g}"


def symbols(text: str) -> str:
    """Return text as HTML, with indices and exponents such as w_t, s_max, x_{t-1} and ρ^{2t} as sub- and superscripts.

    Examples
    --------
    >>> symbols("E[w_t] < ρ^{t+1}, by run_sgd")
    'E[w<sub>t</sub>] &lt; ρ<sup>t+1</sup>, by run_sgd'
    """
    text = SUPERSCRIPT.sub(lambda found: f"<sup>{found[1].strip('{}')}</sup>", escape(text))
    return SUBSCRIPT.sub(lambda found: f"<sub>{found[1].strip('{}')}</sub>", text)


def _badge(result: Result) -> str:
    return f'<span class="badge {BADGES[result]}">{escape(result.value)}</span>'


def _line_of_contents(claim: Claim, outcome: Outcome) -> str:
    link = f'<a href="#item-{claim.number}">{escape(claim.title)}</a>'
    return f"<tr><td>{claim.number}</td><td>{link}</td><td>{_badge(outcome.result)}</td></tr>"


def _section(claim: Claim, outcome: Outcome) -> str:
    correct = f"<p><strong>Correct:</strong> {symbols(claim.correct)}</p>\n" if claim.correct else ""
    if claim.correct and outcome.result is Result.HOLDS:
        correct = f"<p><strong>Beyond it:</strong> {symbols(claim.correct)}</p>\n"
    if claim.kind is Kind.QUESTION:
        correct = f"<p><strong>Answer:</strong> {symbols(claim.correct)}</p>\n"
    heading = "The question" if claim.kind is Kind.QUESTION else "The paper"
    return f"""<section id="item-{claim.number}">
<h3>{claim.number}. {escape(claim.title)} {_badge(outcome.result)}</h3>
<p class="small">{escape(claim.kind.value)}, {outcome.seconds:.1f} s</p>
<p><strong>{heading}:</strong> {symbols(claim.paper)}</p>
{correct}{_findings(claim, outcome.findings)}{_numbers(outcome.numbers)}{_figure(outcome)}</section>"""


def _findings(claim: Claim, findings: Sequence[Finding]) -> str:
    rows = "\n".join(_finding(claim, finding) for finding in findings)
    return f"""<div class="wide"><table class="findings">
<thead><tr><th>statement</th><th>measured</th><th>value</th><th>limit</th><th></th></tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
"""


def _finding(claim: Claim, finding: Finding) -> str:
    statement = "answer" if claim.kind is Kind.QUESTION else finding.form.value
    sign = "≥" if finding.at_least else "≤"
    where = f'<br><span class="small">{symbols(finding.where)}</span>' if finding.where else ""
    if finding.kept:
        state, mark = "kept", "kept"
    else:
        state, mark = "broken", "counterexample" if finding.form is Form.PRINTED else "unexpected"
    return (
        f"<tr><td>{escape(statement)}</td><td>{symbols(finding.what)}{where}</td>"
        f'<td class="number">{number_text(finding.value)}</td>'
        f'<td class="number">{sign}&nbsp;{number_text(finding.limit)}</td>'
        f'<td class="{state}">{mark}</td></tr>'
    )


def _numbers(numbers: dict[str, float]) -> str:
    if not numbers:
        return ""
    rows = "\n".join(
        f'<tr><td>{symbols(name)}</td><td class="number">{number_text(float(value))}</td></tr>'
        for name, value in numbers.items()
    )
    return f'<div class="wide"><table>\n<tbody>\n{rows}\n</tbody>\n</table></div>\n'


def _figure(outcome: Outcome) -> str:
    if not outcome.svg:
        return ""
    picture = b64encode(outcome.svg.encode()).decode()
    caption = escape(outcome.caption)
    return (
        f'<figure><img src="data:image/svg+xml;base64,{picture}" alt="{caption}">'
        f"<figcaption>{symbols(outcome.caption)}</figcaption></figure>\n"
    )
