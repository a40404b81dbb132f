"""A simulated depot of sources: what `fetch_sources` fetches, without a network."""

from __future__ import annotations

SOURCES: dict[str, dict[str, str]] = {
    "zlib": {
        "VERSION": "1.3.1\n",
        "NEEDS": "",
        "adler.c": "/* simulated source */ unsigned adler(unsigned a) { return a * 65521u; }\n",
    },
    "abseil": {
        "VERSION": "20240722\n",
        "NEEDS": "",
        "strings.cc": "// simulated source\nint words(const char* text) { return text[0] != 0; }\n",
    },
    "re2": {
        "VERSION": "2024-07-02\n",
        "NEEDS": "abseil\n",
        "re2.cc": "// simulated source\nint match(const char* text) { return words(text); }\n",
    },
}
"""By part, its files by name."""

PROJECTS: dict[str, tuple[str, ...]] = {"re2": ("abseil", "re2"), "zlib": ("zlib",)}
"""By project, the parts its package holds."""

VARIABLES = {
    "BUILD_TARGET": "aarch64-linux-musl",
    "BUILD_ARCH": "aarch64",
    "BUILD_TOOLCHAIN": "toolchains/aarch64-musl.cmake",
}
"""The environment of the tools, put into the checkpoint when a run starts."""
