package io.verbena.sim;

import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.text.AddressText;
import io.verbena.wire.ip.EthernetHeader;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The packets of a World: ports by address, and the treatment of packets between them. The treatment of every packet is
 * drawn from the random numbers of the World, in the order in which packets are sent.
 */
public final class PacketNetwork {

    private static final int FIRST_EPHEMERAL_PORT = 49_152;

    /** Packets of a carrier contain their addresses. */
    private static final PacketPath CARRIED = new PacketPath(0, 0, 0, 0);

    private final Run run;
    private final PacketTreatment treatment;
    private final Predicate<InetAddress> present;
    private final Map<InetSocketAddress, VirtualPacketPort> ports = new HashMap<>();
    private final Map<InetAddress, Set<VirtualPacketPort>> groups = new HashMap<>();
    private final Set<Set<InetAddress>> partitions = new HashSet<>();
    private final Map<InetAddress, VirtualPacketPort> carried = new HashMap<>();
    private Optional<PacketCarrier> carrier = Optional.empty();
    private Losses lost = bytes -> {};
    private int nextPort = FIRST_EPHEMERAL_PORT;
    private boolean ipv6;
    private boolean reportsTooBig;
    private long sent;
    private long sentGroups;
    private long delivered;

    /**
     * @param present whether a host has this address and is alive
     */
    PacketNetwork(Run run, SimRandom random, PacketPlan plan, Predicate<InetAddress> present) {
        this.present = present;
        this.run = run;
        this.treatment = new PacketTreatment(run, random, plan);
    }

    public PacketPlan plan() {
        return treatment.plan();
    }

    /** From now on packets are treated like this. */
    public void plan(PacketPlan next) {
        treatment.plan(next);
    }

    /** The treatment of packets on paths with an entropy, in addition to that of all packets. */
    public void path(int entropy, PathPlan plan) {
        treatment.path(entropy, plan);
    }

    /** Another network carries all packets from now on. The plan does not apply to them. */
    void carrier(PacketCarrier network) {
        carrier = Optional.of(network);
        network.deliverTo(this::arrived);
    }

    /** Is notified of each packet that does not arrive, or not as it was sent. */
    @FunctionalInterface
    interface Losses {
        void onLost(byte[] bytes);
    }

    /** Notifies of losses from now on. */
    void onLost(Losses listener) {
        lost = listener;
    }

    /** The address of a host, 1 for the first. */
    InetAddress addressOf(int host) {
        return carrier.isPresent() ? carrier.get().address(host) : ownAddress(host);
    }

    /** Later hosts have IPv6 addresses. */
    void ipv6() {
        ipv6 = true;
    }

    /** Whether the sender of a frame that is too long is notified of the longest packet that passes. Frames of IPv6 only. */
    public void reportTooBig(boolean reports) {
        reportsTooBig = reports;
    }

    private InetAddress ownAddress(int host) {
        byte[] bytes = ipv6 ? new byte[16] : new byte[4];
        bytes[0] = (byte) (ipv6 ? 0xfd : 10);
        bytes[bytes.length - 2] = (byte) (host >> 8);
        bytes[bytes.length - 1] = (byte) host;
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are an address", e);
        }
    }

    /** A packet has come through the carrier. */
    private void arrived(InetAddress host, byte[] bytes) {
        VirtualPacketPort port = carried.get(host);
        if (port != null && port.arrive(port, CARRIED, bytes, 0, plan())) {
            delivered++;
        }
    }

    /** Nothing passes between two hosts until {@link #heal}. */
    public void partition(InetAddress one, InetAddress other) {
        partitions.add(Set.of(one, other));
    }

    /** All hosts reach each other again. */
    public void heal() {
        partitions.clear();
    }

    /** Packets that were sent. */
    public long sent() {
        return sent;
    }

    /** Groups of packets that were sent: system calls of a real port. */
    public long sentGroups() {
        return sentGroups;
    }

    /** Packets that reached a port's buffer. */
    public long delivered() {
        return delivered;
    }

    InetSocketAddress bind(VirtualPacketPort port, InetAddress host, InetSocketAddress wanted) throws IOException {
        if (!wanted.getAddress().isAnyLocalAddress() && !wanted.getAddress().equals(host)) {
            throw new BindException("Cannot assign requested address: " + wanted);
        }
        InetSocketAddress address = new InetSocketAddress(host, wanted.getPort() == 0 ? nextPort++ : wanted.getPort());
        if (ports.putIfAbsent(address, port) != null) {
            throw new BindException("Address already in use: " + AddressText.of(address));
        }
        if (carrier.isPresent()) {
            carried.put(host, port);
        }
        return address;
    }

    void unbind(VirtualPacketPort port) {
        ports.remove(port.localAddress(), port);
        carried.remove(port.localAddress().getAddress(), port);
        for (Set<VirtualPacketPort> members : groups.values()) {
            members.remove(port);
        }
    }

    void join(VirtualPacketPort port, InetAddress group) throws IOException {
        if (carrier.isPresent()) {
            carrier.get().join(port.localAddress().getAddress(), group);
            return;
        }
        groups.computeIfAbsent(group, each -> new LinkedHashSet<>()).add(port);
    }

    void leave(VirtualPacketPort port, InetAddress group) {
        if (carrier.isPresent()) {
            carrier.get().leave(port.localAddress().getAddress(), group);
            return;
        }
        groups.getOrDefault(group, Set.of()).remove(port);
    }

    /** A packet leaves a port. */
    void send(VirtualPacketPort from, PacketPath to, byte[] bytes, int indexInGroup) {
        sentGroups += indexInGroup == 0 ? 1 : 0;
        if (carrier.isPresent()) {
            sent++;
            carrier.get().send(from.localAddress().getAddress(), to, bytes, run.elapsedNs());
            return;
        }
        InetSocketAddress target =
                new InetSocketAddress(Addresses.address(to.addressHigh(), to.addressLow()), to.port());
        if (!target.getAddress().isMulticastAddress()) {
            VirtualPacketPort port = ports.get(target);
            if (port != null) {
                pass(from, port, to, bytes, indexInGroup);
            } else {
                unreachable(from, target);
            }
            return;
        }
        for (VirtualPacketPort each : List.copyOf(groups.getOrDefault(target.getAddress(), Set.of()))) {
            if (each != from && each.localAddress().getPort() == target.getPort()) {
                pass(from, each, to, bytes, indexInGroup);
            }
        }
    }

    /** The host exists, but nothing is bound to the port: its system reports that (ICMP port unreachable). */
    private void unreachable(VirtualPacketPort from, InetSocketAddress target) {
        sent++;
        if (present.test(target.getAddress()) && !cut(from, target.getAddress())) {
            run.after(2 * treatment.delayNs(), () -> from.unreachable(target));
        }
    }

    private boolean cut(VirtualPacketPort from, InetAddress to) {
        InetAddress source = from.localAddress().getAddress();
        return !source.equals(to) && partitions.contains(Set.of(source, to));
    }

    private void pass(VirtualPacketPort from, VirtualPacketPort to, PacketPath path, byte[] bytes, int index) {
        sent++;
        if (treatment.loses(bytes.length)
                || treatment.losesOnPath(path.entropy())
                || cut(from, to.localAddress().getAddress())) {
            run.log(() -> from + " to " + to + ": " + bytes.length + " bytes lost");
            lost.onLost(bytes);
            if (reportsTooBig && bytes.length > plan().mtuBytes()) {
                byte[] report = PacketTooBig.about(bytes, plan().mtuBytes() - EthernetHeader.LENGTH);
                run.after(treatment.delayNs(), () -> from.arrive(to, path, report, 0, plan()));
            }
            return;
        }
        byte[] damaged = treatment.content(bytes);
        if (!Arrays.equals(damaged, bytes)) {
            lost.onLost(bytes);
        }
        int copies = treatment.copies();
        for (int i = 0; i < copies; i++) {
            run.atTime(treatment.arrivalNs(from.localAddress(), to.localAddress(), path.entropy()), () -> {
                // The address may belong to another port by then.
                if (ports.getOrDefault(to.localAddress(), to).arrive(from, path, damaged, index, plan())) {
                    delivered++;
                }
            });
        }
    }

    /** Removes the ports of a host that died. */
    void hostDied(InetAddress host) {
        List<VirtualPacketPort> gone = new ArrayList<>();
        for (VirtualPacketPort port : ports.values()) {
            if (port.localAddress().getAddress().equals(host)) {
                gone.add(port);
            }
        }
        gone.forEach(VirtualPacketPort::close);
    }
}
