"""Builds the site's menu, and turns what pages link to outside docs/ into links to the repository."""

import os
import re
from pathlib import Path

GROUPS = {"Do": "how-to", "Look up": "reference", "Packs": "packs", "Understand": ".", "Decisions": "decisions"}

LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config):
    docs = Path(config.docs_dir)
    groups = [
        {title: [str(page.relative_to(docs)) for page in sorted((docs / path).glob("*.md")) if page.name != "README.md"]}
        for title, path in GROUPS.items()
    ]
    config.nav = [{"Home": "README.md"}, *groups]
    return config


def on_page_markdown(markdown, page, config, files):
    here = os.path.dirname(page.file.src_uri)

    def turned(match):
        target = os.path.normpath(os.path.join("docs", here, match[1]))
        if files.get_file_from_path(os.path.relpath(target, "docs")):
            return match[0]
        return f"]({config.repo_url}/blob/{config.extra['ref']}/{target}{match[2] or ''})"

    return LINK.sub(turned, markdown)
