package io.verbena.tcp;

/** What {@link TcpSender#plan} decides to send. */
enum SendPlan {
    NOTHING,
    SYN,
    DATA,
    FIN,
    /** An empty segment with a sequence number that was acknowledged before: the peer answers it. */
    PROBE
}
