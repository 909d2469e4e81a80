package io.verbena.hardware.provider;

import io.verbena.base.Log;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.verbs.ConnectionException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The membership of a queue pair in a multicast group. librdmacm joins the group in the network (by IGMP, or at the subnet manager), and
 * ibv_attach_mcast has the adapter pass the datagrams of the group to the queue pair.
 */
final class GroupMember extends DatagramExchange {

    private static final long JOIN_NS = 10_000_000_000L;
    private static final int JOIN_MS = 10_000;
    private static final int GID_BYTES = 16;

    private final InetAddress group;
    private final long qp;
    private final Consumer<GroupMember> lost;
    private Optional<byte[]> path = Optional.empty();
    private boolean ended;

    /**
     * A membership that begins.
     *
     * @param qp the ibv_qp of the queue pair
     * @param lost is called when the network ends the membership
     */
    GroupMember(ConnectionManager manager, long id, long qp, InetAddress group, Consumer<GroupMember> lost) {
        super(manager, id);
        this.group = group;
        this.qp = qp;
        this.lost = lost;
    }

    /** Requests the membership. */
    void begin() {
        begin(
                new InetSocketAddress(group, 0),
                manager().rnic().facts().sourceFor(group).map(each -> new InetSocketAddress(each, 0)),
                JOIN_MS);
    }

    /** Waits until the queue pair receives the datagrams of the group. */
    void awaitJoined() throws ConnectionException {
        CmEvent _ = await(JOIN_NS, subject() + " was not joined within 10 s.");
    }

    /** The path of datagrams for the group, an ibv_ah_attr; empty for a queue pair that is no member. */
    synchronized Optional<byte[]> path() {
        return path;
    }

    @Override
    String subject() {
        return "The multicast group " + group.getHostAddress();
    }

    @Override
    void onAddress() {
        try (Arena arena = Arena.ofConfined()) {
            manager()
                    .libraries()
                    .call(
                            NativeFunction.JOIN_MULTICAST,
                            id(),
                            CmParameters.address(arena, new InetSocketAddress(group, 0)),
                            0);
        }
    }

    @Override
    void onAnswer(CmEvent event) {
        synchronized (this) {
            if (ended) {
                return;
            }
            change(NativeFunction.ATTACH_MCAST, event.terms().address());
            path = Optional.of(event.terms().address());
        }
        super.onAnswer(event);
    }

    @Override
    void onRefused(CmEvent event) {
        boolean member = path().isPresent();
        fail(
                ConnectionException.Kind.FAILED,
                subject() + (member ? " was lost" : " cannot be joined") + " (status " + event.status() + ").");
        if (member) {
            lost.accept(this);
        }
    }

    private void change(NativeFunction function, byte[] address) {
        try (Arena arena = Arena.ofConfined()) {
            long gid = arena.allocate(GID_BYTES, 8).address();
            Native.put(gid, Arrays.copyOf(address, GID_BYTES));
            int lid = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getShort(IbvAhAttr.DLID);
            manager().libraries().call(function, qp, gid, Short.toUnsignedInt((short) lid));
        }
    }

    /** Leaves the group. Afterwards the queue pair may be destroyed. */
    @Override
    public void end() {
        synchronized (this) {
            ended = true;
            path.ifPresent(this::detach);
            path = Optional.empty();
        }
        super.end();
    }

    private void detach(byte[] address) {
        try {
            change(NativeFunction.DETACH_MCAST, address);
        } catch (CallFailedException e) {
            Log.bug("leaving a multicast group", e);
        }
    }

    /** librdmacm waits here for the acknowledgement of the events of the group, which the event loop gives at once. */
    @Override
    void release() {
        try (Arena arena = Arena.ofConfined()) {
            int _ = manager()
                    .libraries()
                    .attempt(
                            NativeFunction.LEAVE_MULTICAST,
                            id(),
                            CmParameters.address(arena, new InetSocketAddress(group, 0)));
        }
        super.release();
    }
}
