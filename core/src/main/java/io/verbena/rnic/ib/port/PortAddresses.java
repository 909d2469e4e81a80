package io.verbena.rnic.ib.port;

import io.verbena.base.PacketList;
import io.verbena.engine.RnicEngine;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The packet ports of an RNIC, one for each of its addresses. Paths of connections use all of them; everything else,
 * such as connection
 * management and datagrams, uses the first one only. The engine of the first one calls every method.
 */
public final class PortAddresses implements PacketEvents {

    private final List<PacketPort> ports = new ArrayList<>();
    private final Function<InetSocketAddress, Framing> carrier;
    private final Runnable onReady;

    /**
     * The ports of addresses.
     *
     * @param carrier makes the framing of a port with a local address
     * @param onReady is called when packets have arrived at a further address, or can be sent from there again
     */
    public PortAddresses(Function<InetSocketAddress, Framing> carrier, Runnable onReady) {
        this.carrier = carrier;
        this.onReady = onReady;
    }

    /**
     * Opens the ports; all have the number of the first one.
     *
     * @param first receives the events of the first port
     */
    public void open(PacketLoop loop, List<InetAddress> addresses, int number, PacketEvents first) throws IOException {
        boolean opened = false;
        try {
            ports.add(loop.open(new InetSocketAddress(addresses.getFirst(), number), first));
            int same = first().localAddress().getPort();
            for (InetAddress each : addresses.subList(1, addresses.size())) {
                ports.add(loop.open(new InetSocketAddress(each, same), this));
            }
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /** The port of the first address. */
    public PacketPort first() {
        return ports.getFirst();
    }

    /** The number of addresses. */
    public int count() {
        return ports.size();
    }

    /** The addresses except the first one. */
    public List<InetAddress> further() {
        return ports.stream().skip(1).map(it -> it.localAddress().getAddress()).toList();
    }

    /** The framing of an address, for one thread. */
    public Framing framing(int address) {
        return carrier.apply(ports.get(address).localAddress());
    }

    /** The sender of the engine that owns the ports. */
    public PortSender sender(RnicEngine owner, Consumer<String> onBroken) {
        List<Exit> exits = new ArrayList<>();
        for (PacketPort port : ports) {
            exits.add(exit(owner, exits.size(), port, Optional.of(port)));
        }
        return new PortSender(owner, exits, onBroken);
    }

    /**
     * The sender of another engine.
     *
     * @param unreachable receives destinations that the first address does not reach
     */
    public PortSender sender(RnicEngine other, Consumer<InetSocketAddress> unreachable, Consumer<String> onBroken)
            throws IOException {
        List<Exit> exits = new ArrayList<>();
        for (PacketPort port : ports) {
            PacketSender shared = port.share(exits.isEmpty() ? unreachable : this::onUnreachable);
            exits.add(exit(other, exits.size(), shared, Optional.empty()));
        }
        return new PortSender(other, exits, onBroken);
    }

    private Exit exit(RnicEngine engine, int address, PacketSender sender, Optional<PacketPort> port) {
        PacketList list =
                address == 0 ? engine.buffers().packetList() : engine.buffers().newPacketList();
        return new Exit(sender, port, list, framing(address).encapsulation(sender));
    }

    /** Receives packets at a further address, which they state. */
    public int receive(int address, PacketBatch batch) throws IOException {
        PacketPort port = ports.get(address);
        int count = port.receive(batch);
        InetAddress local = port.localAddress().getAddress();
        batch.allSentTo(Addresses.high(local), Addresses.low(local));
        return count;
    }

    @Override
    public void onReadable() {
        onReady.run();
    }

    @Override
    public void onWritable() {
        onReady.run();
    }

    @Override
    public void onUnreachable(InetSocketAddress destination) {
        // The paths to this address do not answer, and requests leave them.
    }

    /** Closes the ports. */
    public void close() {
        ports.forEach(PacketPort::close);
    }
}
