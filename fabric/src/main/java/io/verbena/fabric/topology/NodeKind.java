package io.verbena.fabric.topology;

/** The kinds of nodes, as NodeInfo numbers them. */
public enum NodeKind {
    /** A channel adapter: the SANIC of a host, an I/O card, a RAID subsystem. */
    ADAPTER(1, 'H', "Ca"),
    /** A switch. Its port 0 is its own management port. */
    SWITCH(2, 'S', "Switch"),
    /** A router: each of its ports is an endnode of a subnet. */
    ROUTER(3, 'R', "Rt");

    private final int code;
    private final char letter;
    private final String word;

    NodeKind(int code, char letter, String word) {
        this.code = code;
        this.letter = letter;
        this.word = word;
    }

    /** NodeInfo's NodeType. */
    public int code() {
        return code;
    }

    /** The first letter of a node's identification in ibnetdiscover's text. */
    char letter() {
        return letter;
    }

    /** The first word of a node's section in ibnetdiscover's text. */
    String word() {
        return word;
    }
}
