package io.verbena.port;

import java.net.InetSocketAddress;

/** Receives the events of a {@link PacketPort}, in the thread that owns its engine. */
public interface PacketEvents {

    /** Packets have arrived. Reported again while packets are left. */
    void onReadable();

    /** The port accepts packets again; reported only while {@link PacketPort#wantWritable} is set. */
    void onWritable();

    /**
     * The network reports that a destination is unreachable (ICMP). Such a message can be forged: it is a hint, never a
     * reason to end a connection.
     */
    void onUnreachable(InetSocketAddress destination);
}
