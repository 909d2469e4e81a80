package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.ring.AcknowledgementPath;
import io.verbena.messaging.ring.BufferSource;
import io.verbena.messaging.ring.ControlBlock;
import io.verbena.messaging.ring.RingPoster;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Two to four ranks in virtual time that exchange messages of random sizes, while buffers grow and shrink, acknowledgements are late, lost,
 * torn or repeated, memory is short, and the network behaves as its profile defines. The seed determines everything.
 */
final class WorldRun implements AutoCloseable {

    private static final long LONGEST_NS = 60_000_000_000L;
    /** A run with more events is considered an endless loop: the polling of ranks over packets that are late takes many. */
    private static final long MOST_EVENTS = 50_000_000;

    private static final long STEP_NS = 20_000;
    private static final long TICK_NS = 50_000;
    /** A program that has found nothing to do for this many rounds polls less often, until it finds something. */
    private static final int IDLE_ROUNDS = 500;

    private static final int IDLE_PACE = 20;
    private static final int[] SIZES = {0, 1, 8, 100, 699, 700, 701, 3000, 16_384, 16_385, 40_000, 150_000};

    /** Where streams carry a few bytes at a time: each byte costs events, and often milliseconds. */
    private static final int[] SMALL_SIZES = {0, 1, 8, 40, 41, 100, 200, 201, 600, 2000};

    private static final int SMALL_GRAIN = 600;

    /** So much longer everything takes there if the network is slow besides: a byte at a time, and milliseconds for each. */
    private static final int SLOW_PACE = 20;

    /** A sender asks four times in all: if all of that fell into one stall of the network, one bad acknowledgement would end it. */
    private static final long LONGEST_STALL_MS = 400;

    /** A lost packet can delay what follows it by this much, and each of the four repetitions of a request meets another loss. */
    private static final long LONGEST_REPAIR_MS = 4_000;

    /** So much longer a run may take over packets that are lost. */
    private static final int REPAIRS = 10;

    /** Of the five acknowledgements that a request can have, one must be good. */
    private static final int MOST_BAD_ACKNOWLEDGEMENTS = 2;

    private final long seed;
    private final Profile profile;
    private final Random random;
    private final World world;
    private final List<Rank> ranks = new ArrayList<>();
    private final boolean littleMemory;
    private final boolean small;
    private final boolean loses;
    private final int pace;
    private int wrongKeys;
    private int idleRounds;
    private int paceWhenIdle = IDLE_PACE;

    /** One message, and the receive for it. */
    private record Sent(MessageRequest operation, int length) {}

    private record Expected(MessageRequest operation, MemorySegment into, MessageRequest send) {}

    private static final class Rank {
        final Messenger messenger;
        final List<Sent> sent = new ArrayList<>();
        final List<Expected> expected = new ArrayList<>();

        /** Those of them that had not ended when it was last examined: most rounds ask. */
        final List<Sent> openSends = new ArrayList<>();

        final List<Expected> openReceives = new ArrayList<>();
        boolean anySource;

        Rank(Messenger messenger) {
            this.messenger = messenger;
        }

        void add(Sent one) {
            sent.add(one);
            openSends.add(one);
        }

        void add(Expected one) {
            expected.add(one);
            openReceives.add(one);
        }

        boolean done() {
            openSends.removeIf(one -> one.operation().done());
            openReceives.removeIf(one -> one.operation().done());
            return openSends.isEmpty() && openReceives.stream().allMatch(one -> decided(this, one));
        }
    }

    WorldRun(long seed, Profile profile) {
        this(seed, profile, Medium.STREAMS);
    }

    WorldRun(long seed, Profile profile, Medium medium) {
        this.seed = seed;
        this.profile = profile;
        loses = medium.loses();
        random = new Random(seed);
        littleMemory = random.nextInt(3) == 0;
        Optional<Consumer<String>> log =
                Boolean.getBoolean("verbena.log") ? Optional.of(System.out::println) : Optional.empty();
        world = medium.in(new World(seed, profile, log)).withMostEvents(MOST_EVENTS);
        int grainBytes = world.weather().grainBytes();
        small = grainBytes > 0 && (grainBytes < SMALL_GRAIN || world.weather().slow());
        pace = small && world.weather().slow() ? SLOW_PACE : 1;
    }

    /** Whether connections may break in this run. */
    private boolean breaks() {
        return profile.breaks() || wrongKeys > 0;
    }

    void run(boolean withWrongKeys) throws IOException {
        int size = 2 + random.nextInt(3);
        List<SocketAddress> addresses = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Progress progress = random.nextBoolean() ? Progress.INLINE : Progress.ENGINE_THREAD;
            VirtualHost host = world.addHost(RnicOptions.defaults()
                    .withProgress(progress)
                    .withCrc(profile == Profile.CORRUPT || random.nextInt(4) == 0));
            Messenger messenger =
                    new Messenger(i, size, host.rnic(), options(), world::nowNs, new Random(random.nextLong()));
            addresses.add(messenger.endpoint().listen(host.address(7000)));
            messenger.endpoint().replace(memory(), new Faults(withWrongKeys));
            ranks.add(new Rank(messenger));
        }
        for (Rank rank : ranks) {
            rank.messenger.members().join(addresses, seed);
            rank.anySource = !profile.breaks() && !withWrongKeys && random.nextBoolean();
        }
        tick();
        int[][] counts = new int[size][size];
        if (littleMemory) { // the first buffers of a connection must find room; later ones are refused
            for (int i = 0; i < size * size; i++) {
                post(i / size, i % size, counts[i / size][i % size]++, 0);
            }
            for (int i = 0; i < 100_000 && !(allDone() && allProvisioned()); i++) {
                progress();
            }
        }
        int rounds = 20 + random.nextInt(60);
        for (int i = 0; i < rounds; i++) {
            int from = random.nextInt(size);
            int to = random.nextInt(size);
            int[] sizes = small ? SMALL_SIZES : SIZES;
            post(from, to, counts[from][to]++, sizes[random.nextInt(sizes.length)]);
            for (int k = random.nextInt(4); k > 0; k--) {
                progress();
            }
        }
        long deadlineNs = world.nowNs() + (loses ? REPAIRS : pace) * LONGEST_NS;
        while (!allDone() && world.nowNs() - deadlineNs < 0) {
            progress();
        }
        check();
    }

    private ChannelOptions channelOptions(EnlargementPolicy policy) {
        return ChannelOptions.defaults()
                .withPolicy(policy)
                .withSlots(2 + random.nextInt(4))
                .withVirtualChannels(2)
                .withMaxPolled(1 + random.nextInt(3))
                .withTimes(
                        Duration.ofMillis(
                                loses ? LONGEST_REPAIR_MS : world.weather().slow() ? LONGEST_STALL_MS * pace : 50),
                        Duration.ofSeconds(20L * pace * (loses ? REPAIRS : 1)),
                        Duration.ofMillis(20L * pace))
                .withMemory(littleMemory ? 100_000 : 1 << 30, 1 << 20);
    }

    private EnlargementPolicy twoPhases() {
        return small ? EnlargementPolicy.of(Phase.of(40), Phase.of(200)) : EnlargementPolicy.defaults();
    }

    private EnlargementPolicy threePhases() {
        return small
                ? EnlargementPolicy.of(Phase.of(40), Phase.withTolerance(100, 90), Phase.of(600))
                : EnlargementPolicy.of(Phase.of(100), Phase.withTolerance(3000, 90), Phase.of(20_000));
    }

    private MessagingOptions options() {
        EnlargementPolicy policy = random.nextBoolean() ? twoPhases() : threePhases();
        policy = policy.withShrinkAfter(random.nextBoolean() ? Duration.ofNanos(200_000) : Duration.ZERO)
                .withProvisionFirst(random.nextBoolean())
                .withSkip(random.nextBoolean())
                .withRefusalPause(Duration.ofMillis(1));
        return MessagingOptions.defaults()
                .withChannel(channelOptions(policy))
                .withRendezvous(random.nextBoolean() ? RendezvousMode.READ : RendezvousMode.WRITE)
                .withMaxUnexpectedBytes(random.nextInt(3) == 0 ? 5000 : 1 << 20);
    }

    /** Large buffers are often not to be had; what was just given back is, so never two refusals in a row. */
    private BufferSource memory() {
        boolean scarce = random.nextInt(3) == 0;
        boolean[] refused = {false};
        return (domain, bytes, rights) -> {
            refused[0] = scarce && bytes > 30_000 && !refused[0] && random.nextInt(2) == 0;
            return refused[0] ? Optional.empty() : BufferSource.verbs().allocate(domain, bytes, rights);
        };
    }

    /** Acknowledgements that are late, lost, torn or repeated, and perhaps have a wrong key. */
    private final class Faults implements AcknowledgementPath {
        private final MemorySegment scratch;
        private final AcknowledgementPath good;
        private final boolean withWrongKeys;
        private final Map<List<Object>, Integer> bad = new HashMap<>();

        Faults(boolean withWrongKeys) {
            scratch = Arena.ofAuto().allocate(128, 64);
            good = AcknowledgementPath.oneWrite(scratch);
            this.withWrongKeys = withWrongKeys;
        }

        @Override
        public boolean post(RingPoster poster, int flow, Acknowledgement ack) {
            return switch (random.nextInt(8)) {
                case 0 -> false;
                case 1 -> spoils(poster, flow, ack) || good.post(poster, flow, ack); // lost
                case 2 -> {
                    ack.write(scratch, 0);
                    yield spoils(poster, flow, ack)
                            ? poster.writeControl(ControlBlock.acknowledgementAt(flow), scratch, 0, 32)
                            : good.post(poster, flow, ack);
                }
                case 3 -> good.post(poster, flow, ack) && (good.post(poster, flow, ack) || true);
                case 4 -> good.post(poster, flow, withWrongKeys ? wrong(ack) : ack);
                default -> good.post(poster, flow, ack);
            };
        }

        private boolean spoils(RingPoster poster, int flow, Acknowledgement ack) {
            return random.nextInt(3) != 0
                    && bad.merge(List.of(poster, flow, ack.request()), 1, Integer::sum) <= MOST_BAD_ACKNOWLEDGEMENTS;
        }

        private Acknowledgement wrong(Acknowledgement ack) {
            wrongKeys++;
            return new Acknowledgement(
                    ack.request(),
                    ack.payloadBytes(),
                    ack.slots(),
                    ack.refusal(),
                    new Acknowledgement.Ring(
                            ack.ring().address(),
                            ack.ring().lengthBytes(),
                            ack.ring().rkey() ^ random.nextInt(1, 1000),
                            ack.ring().nonce()));
        }
    }

    private void post(int from, int to, int number, int length) {
        MemorySegment message = Payloads.segment(length, content(from, to, number));
        Rank sender = ranks.get(from);
        MessageRequest send =
                new MessageRequest(sender.messenger).start(true, message, 0, length, to, number, number & 1);
        if (sender.messenger.sendNow(message, 0, length, to, number, number & 1)) {
            send.sent();
        } else {
            sender.messenger.send(send);
        }
        sender.add(new Sent(send, length));
        Rank receiver = ranks.get(to);
        MemorySegment into = Arena.ofAuto().allocate(200_000);
        // Contexts 0 and 1 go over different virtual channels; within one, the tag says which message it was.
        MessageRequest receive = new MessageRequest(receiver.messenger)
                .start(false, into, 0, 200_000, receiver.anySource ? -1 : from, -1, number & 1);
        receiver.messenger.receive(receive);
        receiver.add(new Expected(receive, into, send));
    }

    private static int content(int from, int to, int number) {
        return from * 7919 + to * 104_729 + number * 31;
    }

    /** Polling lets the World go to its next event: this one sees to it that time does not leap while programs would have polled. */
    private void tick() {
        world.after(idlePace() * TICK_NS, this::tick);
    }

    private void progress() {
        int work = 0;
        for (Rank rank : ranks) {
            work += rank.messenger.progress();
        }
        idleRounds = work > 0 ? 0 : idleRounds + 1;
        world.runFor(idlePace() * (STEP_NS + random.nextInt((int) STEP_NS)));
    }

    /** The programs poll as often when they are idle; for seeds that once found a fault in this way. */
    WorldRun pollingAlways() {
        paceWhenIdle = 1;
        return this;
    }

    private int idlePace() {
        return idleRounds > IDLE_ROUNDS ? pace * paceWhenIdle : pace;
    }

    private boolean allDone() {
        for (Rank rank : ranks) {
            if (!rank.done()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all channels have their first buffers. */
    private boolean allProvisioned() {
        return ranks.stream()
                .flatMap(rank -> rank.messenger.endpoint().channels().stream())
                .allMatch(channel -> IntStream.range(0, channel.virtualChannels())
                        .allMatch(flow -> channel.flow(flow).send().side().payloadBytes() > 0));
    }

    /** A receive waits indefinitely only if its rank was never connected to the sender whose message failed. */
    private static boolean decided(Rank rank, Expected one) {
        return one.operation().done()
                || failed(one.send())
                        && one.operation().peer >= 0
                        && rank.messenger.gone(one.operation().peer).isEmpty();
    }

    private void check() {
        if (!allDone()) {
            for (Rank rank : ranks) {
                rank.sent.stream()
                        .filter(sent -> failed(sent.operation()))
                        .forEach(sent -> System.out.println("to " + sent.operation().peer + ": "
                                + sent.operation().failure()));
            }
            tellWhatIsLeft();
            fail("something was not done in all the time allowed");
        }
        for (Rank rank : ranks) {
            for (Sent sent : rank.sent) {
                if (!breaks() && failed(sent.operation())) {
                    fail("a send failed: " + sent.operation().failure());
                }
            }
        }
        for (int to = 0; to < ranks.size(); to++) {
            checkReceives(to);
        }
    }

    /**
     * Receives of a pair and context take its messages in order. One that failed took the message that was due: it was lost with
     * the connection, and the program was notified.
     */
    private void checkReceives(int to) {
        int[][] next = {{0, 0, 0, 0}, {1, 1, 1, 1}};
        for (Expected one : ranks.get(to).expected) {
            MessageRequest receive = one.operation();
            int flow = receive.context();
            if (!receive.done() || failed(receive)) {
                if (!breaks()) {
                    fail("a receive failed: " + receive.failure());
                }
                next[flow][receive.peer] += 2;
                continue;
            }
            Status status = receive.status();
            int from = status.source();
            if (status.tag() != next[flow][from]) {
                fail("rank " + to + " got message " + status.tag() + " of rank " + from + " where " + next[flow][from]
                        + " was due");
            }
            next[flow][from] += 2;
            int length = (int) status.count();
            MemorySegment sent = Payloads.segment(length, content(from, to, status.tag()));
            if (length > 0 && MemorySegment.mismatch(one.into(), 0, length, sent, 0, length) != -1) {
                fail("a message was altered");
            }
        }
    }

    private void tellWhatIsLeft() {
        for (Rank rank : ranks) {
            for (Sent sent : rank.sent) {
                tell("send to", sent.operation());
            }
            for (Expected one : rank.expected) {
                tell("receive from", one.operation());
            }
            for (Channel channel : rank.messenger.endpoint().channels()) {
                System.out.println(channel.peer() + " " + channel.state() + " " + channel.figures());
                for (int i = 0; i < channel.virtualChannels(); i++) {
                    System.out.println("  out " + channel.flow(i).send().side());
                    System.out.println("  in  " + channel.flow(i).receive().side());
                }
            }
        }
    }

    private static void tell(String what, MessageRequest operation) {
        if (!operation.done()) {
            System.out.println(what + " " + operation.peer + " tag " + operation.tag() + " context "
                    + operation.context() + " of " + operation.length + " bytes, number " + operation.id);
        }
    }

    private static boolean failed(MessageRequest operation) {
        return !operation.failure().isEmpty();
    }

    private void fail(String sentence) {
        throw new AssertionError("seed " + seed + ", profile " + profile + ": " + sentence);
    }

    long traceHash() {
        return world.traceHash();
    }

    @Override
    public void close() {
        ranks.forEach(rank -> rank.messenger.endpoint().abort());
        world.close();
    }
}
