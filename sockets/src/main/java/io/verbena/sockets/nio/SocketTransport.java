package io.verbena.sockets.nio;

/** What carries the bytes of a channel. */
public enum SocketTransport {
    /** The channel is not connected. */
    NONE,
    /** TCP without RDMA. */
    TCP,
    /** TCP so far: the peer has sent nothing yet, and RDMA if it begins with a request for that. */
    UNDECIDED,
    /** RDMA over TCP. */
    IWARP,
    /** RDMA over UDP. */
    ROCE,
    /** Memory that both processes share. */
    SHARED_MEMORY
}
