package io.verbena.tcp.send;

/** What {@link TcpSender#plan} decides to send. */
public enum SendPlan {
    NOTHING,
    SYN,
    DATA,
    FIN,
    /** An empty segment with a sequence number that was acknowledged before: the peer answers it. */
    PROBE
}
