"""Pages are whole by themselves, and what is put into them is text."""

import base64
import re

from hypertorus.report.page import heading, page, paragraph, picture, table
from hypertorus.report.style import figure, save

TEXT = '<b>"Tawny" & owl</b>'
ESCAPED = "&lt;b&gt;&quot;Tawny&quot; &amp; owl&lt;/b&gt;"


def test_text_stays_text():
    made = page(TEXT, [heading(TEXT), paragraph(TEXT), table([TEXT], [[TEXT]])])
    assert made.count(ESCAPED) == 6  # the title stands twice
    assert TEXT not in made


def test_a_picture_is_inside_the_page(tmp_path):
    save(figure(1, 1), tmp_path / "a.png")
    made = picture(tmp_path / "a.png", TEXT)
    data = re.search(r'src="data:image/png;base64,([^"]+)"', made)[1]
    assert base64.b64decode(data) == (tmp_path / "a.png").read_bytes()
    assert f'alt="{ESCAPED}"' in made
