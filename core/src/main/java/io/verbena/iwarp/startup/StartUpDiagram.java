package io.verbena.iwarp.startup;

/** Both transition tables as one Mermaid diagram for the documentation. */
public final class StartUpDiagram {
    private StartUpDiagram() {}

    /** The text of docs/generated/mpa-startup.mmd. */
    public static String mermaid() {
        return "%% Generated from InitiatorTable and ResponderTable by StartUpDiagram; do not edit.\n"
                + "stateDiagram-v2\n"
                + InitiatorTable.TABLE.mermaid("MPA initiator", "Initiator", "I_")
                + ResponderTable.TABLE.mermaid("MPA responder", "Responder", "R_");
    }
}
