package io.verbena.rnic;

/** The tables of queue pairs and connections as one Mermaid diagram, kept in the docs. */
final class StateDiagram {

    private StateDiagram() {}

    /** The text of docs/generated/rnic-states.mmd. */
    static String mermaid() {
        return "%% Generated from QueuePairStates and ConnectionStates by StateDiagram; do not edit.\n"
                + "stateDiagram-v2\n"
                + "    state \"iWARP queue pair\" as QueuePair {\n"
                + QueuePairStates.TABLE.mermaid("Q_")
                + "    }\n"
                + "    state \"Connection\" as Connection {\n"
                + ConnectionStates.TABLE.mermaid("C_")
                + "    }\n";
    }
}
