package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.protocol.Contexts;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Ranks in virtual time, in one thread: the test starts operations and decides when time passes. */
final class VirtualRanks implements AutoCloseable {

    private static final int PORT = 7000;

    /** What only ranks of the job know. */
    static final long JOB = 7;

    private static final int MAX_STEPS = 100_000;
    private static final long STEP_NS = 10_000;

    private final World world;
    private final List<VirtualHost> hosts = new ArrayList<>();
    private final List<Messenger> ranks = new ArrayList<>();

    VirtualRanks(World world, int size, RnicOptions rnic, MessagingOptions options) throws IOException {
        this.world = world;
        List<SocketAddress> addresses = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            VirtualHost host = world.addHost(rnic);
            Messenger rank = new Messenger(i, size, host.rnic(), options, world::nowNs, new Random(i));
            addresses.add(rank.endpoint().listen(host.address(PORT)));
            hosts.add(host);
            ranks.add(rank);
        }
        ranks.forEach(rank -> rank.members().join(addresses, JOB));
    }

    /** Where a rank accepts connections. */
    SocketAddress address(int rank) {
        return hosts.get(rank).address(PORT);
    }

    Messenger rank(int number) {
        return ranks.get(number);
    }

    /** The host of a rank dies. */
    void kill(int rank) {
        hosts.get(rank).kill(false);
    }

    /** The host of a rank dies, and no connection ends for it yet. */
    void silence(int rank) {
        hosts.get(rank).kill(true);
    }

    MessageRequest send(int from, int to, MemorySegment message, int length, int tag) {
        Messenger sender = ranks.get(from);
        MessageRequest send = new MessageRequest(sender).start(true, message, 0, length, to, tag, Contexts.MESSAGES);
        if (sender.sendNow(message, 0, length, to, tag, Contexts.MESSAGES)) {
            send.sent();
        } else {
            sender.send(send);
        }
        return send;
    }

    MessageRequest receive(int at, int from, MemorySegment into, int tag) {
        Messenger receiver = ranks.get(at);
        MessageRequest receive =
                new MessageRequest(receiver).start(false, into, 0, into.byteSize(), from, tag, Contexts.MESSAGES);
        receiver.receive(receive);
        return receive;
    }

    /** All ranks make progress. */
    void progress() {
        ranks.forEach(Messenger::progress);
    }

    /** All ranks make progress and time passes until a condition holds. */
    void until(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertTrue(i < MAX_STEPS, "the condition did not hold in time");
            progress();
            world.runFor(STEP_NS);
        }
    }

    @Override
    public void close() {
        ranks.forEach(rank -> rank.endpoint().abort());
        world.close();
    }
}
