package io.verbena.tools.impair;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.host.engine.EngineLoop;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Forwards datagrams between two hosts by sockets. Each host takes the forwarder for the other one, so the addresses that RoCEv2 packets and
 * requests of its connection manager contain are replaced, and their ICRC is computed for the new ones: {@link RoceAddresses}.
 */
final class UdpBridge implements Bridge, PacketEvents {

    /** Source ports that are kept; packets with further ones leave from the usual port. */
    private static final int MOST_PORTS = 1024;

    private final EngineLoop loop;
    private final PacketPort port;
    private final InetSocketAddress a;
    private final InetSocketAddress b;
    private final RoceAddresses addresses;
    private final Map<Integer, PacketPort> senders = new HashMap<>();
    private final PacketBatch batch =
            new PacketBatch(4 * PacketPort.LEAST_BATCH_BYTES, 4 * PacketPort.LEAST_BATCH_PACKETS);
    private final PacketBatch unwanted = new PacketBatch(PacketPort.LEAST_BATCH_BYTES, PacketPort.LEAST_BATCH_PACKETS);
    private final PacketList list = new PacketList(PacketPort.LEAST_BATCH_BYTES);
    private long strangers;
    private long otherPorts;

    /**
     * Listens for both hosts.
     *
     * @param local where they send to; its port is that of RoCEv2
     * @param a one host, at that port
     * @param b the other one
     * @throws IOException if the address cannot be used, with what to do
     */
    UdpBridge(EngineLoop loop, InetSocketAddress local, InetAddress a, InetAddress b) throws IOException {
        this.loop = loop;
        this.port = loop.open(local, this);
        this.a = new InetSocketAddress(a, local.getPort());
        this.b = new InetSocketAddress(b, local.getPort());
        this.addresses = new RoceAddresses(local.getAddress(), local.getPort());
        senders.put(local.getPort(), port);
    }

    @Override
    public boolean receive(Taker taker) throws IOException {
        batch.reset();
        port.receive(batch);
        for (int i = 0; i < batch.packets(); i++) {
            InetAddress source = Addresses.address(batch.sourceHigh(i), batch.sourceLow(i));
            if (source.equals(a.getAddress())) {
                take(Side.A, i, b, taker);
            } else if (source.equals(b.getAddress())) {
                take(Side.B, i, a, taker);
            } else {
                strangers++;
            }
        }
        return batch.packets() > 0;
    }

    private void take(Side from, int i, InetSocketAddress to, Taker taker) {
        byte[] payload =
                batch.slab().segment().asSlice(batch.offset(i), batch.length(i)).toArray(ValueLayout.JAVA_BYTE);
        int sourcePort = batch.sourcePort(i);
        int leavingPort = sender(sourcePort).localAddress().getPort();
        addresses.replace(payload, new RoceAddresses.Hosts(batch.source(i), to, leavingPort));
        boolean ipv4 = PacketPath.ipv4(batch.sourceHigh(i), batch.sourceLow(i));
        Packet.Ports ports = new Packet.Ports(sourcePort, to.getPort());
        taker.take(from, Packet.datagram(payload, ipv4, ports, batch.trafficClass(i)));
    }

    @Override
    public boolean send(Impairment.Passing passing) throws IOException {
        Packet packet = passing.packet();
        InetSocketAddress to = passing.from() == Side.A ? b : a;
        PacketPort from = sender(packet.sourcePort());
        byte[] bytes = packet.bytes();
        list.reset(1, bytes.length);
        int at = list.reserve(bytes.length);
        MemorySegment.copy(bytes, 0, list.slab().segment(), ValueLayout.JAVA_BYTE, at, bytes.length);
        list.endPacket(Addresses.path(to, packet.trafficClass()), 0);
        boolean sent = from.send(list, 0) == list.packets();
        from.wantWritable(!sent);
        return sent;
    }

    /** What has this source port: it may be the one thing by which a network distinguishes the paths of a connection. */
    private PacketPort sender(int sourcePort) {
        PacketPort known = senders.get(sourcePort);
        if (known != null) {
            return known;
        }
        PacketPort sender = port;
        if (senders.size() < MOST_PORTS) {
            try {
                sender = new Sender(sourcePort).port;
            } catch (IOException e) {
                otherPorts++; // another program has it
            }
            senders.put(sourcePort, sender);
        } else {
            otherPorts++;
        }
        return sender;
    }

    /** A further source port. What arrives there is for no host. */
    private final class Sender implements PacketEvents {
        private final PacketPort port;

        Sender(int sourcePort) throws IOException {
            InetAddress own = UdpBridge.this.port.localAddress().getAddress();
            port = loop.open(new InetSocketAddress(own, sourcePort), this);
        }

        @Override
        public void onReadable() {
            unwanted.reset();
            try {
                port.receive(unwanted);
            } catch (IOException e) {
                strangers++; // the next send reports what is wrong with the port
            }
            strangers += unwanted.packets();
        }

        @Override
        public void onWritable() {
            // the forwarder also tries again then
        }

        @Override
        public void onUnreachable(InetSocketAddress destination) {
            // lost, as anywhere in a network
        }
    }

    @Override
    public String ends() {
        return a.getAddress().getHostAddress() + " (a) and " + b.getAddress().getHostAddress() + " (b), by way of "
                + AddressText.of(port.localAddress());
    }

    @Override
    public List<String> notes() {
        return List.of("Both hosts must use " + port.localAddress().getAddress().getHostAddress()
                + " as the address of the other one. A socket does not see the IP header: of it, the ECN bits and the DSCP pass and"
                + " can be changed, TTL and identification are new.");
    }

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        if (strangers > 0) {
            findings.add(strangers + " packets came from other hosts and were not forwarded.");
        }
        if (otherPorts > 0) {
            findings.add(otherPorts
                    + " source ports could not be kept, because programs of this machine use them or there were"
                    + " too many: their packets left from port "
                    + port.localAddress().getPort() + ".");
        }
        return findings;
    }

    @Override
    public void onReadable() {
        // the forwarder reads in every turn
    }

    @Override
    public void onWritable() {
        // it also tries again then
    }

    @Override
    public void onUnreachable(InetSocketAddress destination) {
        // lost, as anywhere in a network
    }
}
