"""Adapter: a QR code as SVG, by segno."""

from __future__ import annotations

import io

import segno


def qr_svg(text: str) -> str:
    """Black on white with a quiet zone, sized by whoever shows it (as an image: it needs no inline style)."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=4, dark="#000", light="#fff"
    )
    return out.getvalue().decode()
