package io.verbena.rnic.iwarp;

/** The table of the connection life cycle as text, for the documentation. */
final class StateDiagram {

    private StateDiagram() {}

    /** The text of docs/generated/rnic-states.mmd, and of the diagram in docs/connections.md. */
    static String mermaid() {
        return "%% Generated from ConnectionTable by StateDiagram; do not edit.\n"
                + "stateDiagram-v2\n"
                + "    state \"Connection and its queue pair\" as Life {\n"
                + ConnectionTable.TABLE.mermaid("L_")
                + "    }\n";
    }

    /** Replaces the generated parts of a document: the text between each pair of marks. */
    static String refreshed(String document) {
        String withDiagram = between(document, "diagram", "```mermaid\n" + mermaid() + "```\n");
        String withCells = between(withDiagram, "cells", ConnectionEffects.markdown());
        return between(withCells, "rest", ConnectionEffects.markdownOfTheRest());
    }

    private static String between(String document, String name, String text) {
        String begin = "<!-- generated: " + name + " -->\n";
        String end = "<!-- end: " + name + " -->";
        int from = document.indexOf(begin);
        int to = document.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("the document has no generated section " + name);
        }
        return document.substring(0, from + begin.length()) + text + document.substring(to);
    }
}
