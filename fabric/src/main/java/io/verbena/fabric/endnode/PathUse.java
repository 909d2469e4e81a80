package io.verbena.fabric.endnode;

/** Which paths the packets of a connection take. */
public enum PathUse {
    /** All packets take the path of the connection, which its GIDs name. */
    ONE,
    /**
     * Acknowledgements and other answers take the path after that of the requests. All LIDs of an endnode then have one GID, so that both
     * belong to one connection.
     */
    SEPARATE_ANSWERS,
    /**
     * The packets of a message take all ports and paths of both endnodes in turn. All LIDs of an endnode then have one GID, and connections need
     * selective repeat, with which the receiving queue pair restores the order.
     */
    STRIPED,
    /**
     * The paths of a connection with several ({@link io.verbena.verbs.ConnectionOptions#withPaths}) are those of both
     * endnodes: first each port that both have, then the next LID of each (LMC). All LIDs of an endnode then have one
     * GID. Answers take the path with the number of what they answer.
     */
    SPRAYED
}
