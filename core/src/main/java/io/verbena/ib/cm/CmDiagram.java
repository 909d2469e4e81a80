package io.verbena.ib.cm;

/** The table of a connection's life as text, kept in the docs. */
final class CmDiagram {

    private CmDiagram() {}

    /** The diagram of docs/infiniband.md. */
    static String mermaid() {
        return "stateDiagram-v2\n    state \"Connection management\" as Cm {\n" + CmTable.TABLE.mermaid("C_")
                + "    }\n";
    }
}
