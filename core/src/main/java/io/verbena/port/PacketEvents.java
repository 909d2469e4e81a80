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

    /**
     * The system of a destination reports that no process has the port. Can be forged as well: it confirms the silence of a peer, and is
     * never a reason to end a connection by itself.
     */
    default void onRefused(InetSocketAddress destination) {
        onUnreachable(destination);
    }
}
