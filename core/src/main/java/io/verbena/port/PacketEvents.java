package io.verbena.port;

import java.net.InetSocketAddress;

/** Reports what happens at a {@link PacketPort}, in the thread that owns its engine. */
public interface PacketEvents {

    /** Packets have arrived. Reported again while some are left. */
    void onReadable();

    /** There is room for packets again; reported only while it is wanted. */
    void onWritable();

    /**
     * The network says that a destination cannot be reached (ICMP). Anybody can forge such a message: it is a hint, never a
     * reason to end a connection.
     */
    void onUnreachable(InetSocketAddress destination);
}
