"""The charts of documents, drawn as SVG and PDF."""
