package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.DigestFields;
import io.verbena.iwarp.Ending;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.QueuePairEndpoint.ReadLimits;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The digest of an iWARP queue pair covers everything that decides what happens next. */
class DigestFieldsTest {

    /** Packages whose objects hold the state of a connection. */
    private static final List<String> OWNERS =
            List.of("io.verbena.iwarp", "io.verbena.iwarp.startup", "io.verbena.rnic.iwarp");

    /** How many other fields a field may need to matter. */
    private static final int MOST_OTHERS = 2;

    /** Fields that the digest does not cover, and the reason. */
    private static final Map<String, String> UNCOVERED = Map.ofEntries(
            // What is true only while a call runs.
            Map.entry("AnswerFrames.wireLength", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.payload", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.last", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.verdict", "the reason of the last refusal, read at once"),
            Map.entry("RequestFrames.wireLength", "describes the frame that was built last, until its unit ends"),
            Map.entry("RequestFrames.payload", "describes the frame that was built last, until its unit ends"),
            Map.entry("RequestFrames.last", "describes the frame that was built last, until its unit ends"),
            Map.entry("SegmentSorter.takenFrom", "the result of the last segment, read at once"),
            Map.entry("SegmentSorter.takenTo", "the result of the last segment, read at once"),
            Map.entry("ConnectionStream.shortRead", "the result of the last read, asked before the next turn"),
            Map.entry("ShortFrames.slab", "holds a frame while a post builds it"),
            Map.entry("ShortFrames.shortMessage", "holds a message while a post builds it"),
            Map.entry("ShortChannel.message", "holds a message while it is taken"),
            Map.entry("Sender.trial", "copied from the committed state before each use"),
            Map.entry("DirectWork.cost", "what the last fill copied, taken before the turn ends"),
            // What follows from other state.
            Map.entry("ConnectionStream.tail", "its bytes follow from the position of the sender"),
            Map.entry("Reception.held", "its bytes follow from the position of the receiver"),
            Map.entry("FpduReceiver.carry", "its bytes follow from the position of the receiver"),
            Map.entry("FpduReceiver.openHeader", "its bytes follow from the position of the receiver"),
            Map.entry("FrameIntake.needed", "follows from the bytes of the frame"),
            Map.entry("FrameIntake.fault", "follows from the bytes of the frame"),
            Map.entry("ResponderStartUp.request", "follows from the bytes of the frame"),
            Map.entry("ResponderStartUp.afterReply", "follows from the bytes of the reply, which the output holds"),
            Map.entry("StartUp.outcome", "follows from the state; the fault of a failure is covered"),
            Map.entry("StartUp.news", "belongs to pollOutcome, which no stage calls"),
            Map.entry("IwarpQueuePair.left", "does nothing any more; whether there is one is covered"),
            Map.entry(
                    "IwarpQueuePair.packets", "no packets carry these connections; whether there are some is covered"),
            Map.entry("IwarpQueuePair.bug", "a sentence for people"),
            Map.entry(
                    "IwarpQueuePair.survivor", "has its own digest; these connections do not survive their transport"),
            Map.entry(
                    "TransmitState.stated",
                    "the count of a connection that survives its transport, which has a digest"),
            Map.entry("IwarpQueuePair.executedPosts", "a hint, which follows from the stage"),
            // What is set once, when the object begins its work.
            Map.entry("ConnectionStream.stream", "chosen before RDMA mode"),
            Map.entry("Sender.frames", "set when RDMA mode begins"),
            Map.entry("SetUpStage.setUp", "changed with the state of the start-up, which is covered"),
            Map.entry("ByteReception.messages", "set when RDMA mode begins"),
            Map.entry("RdmaStage.messages", "set when RDMA mode begins"),
            Map.entry("IwarpStream.directPath", "set when RDMA mode begins"),
            Map.entry("PrivateData.bytes", "set when it is made"),
            Map.entry("KeepAlive.quietNs", "set when RDMA mode begins"),
            Map.entry("KeepAlive.stepNs", "set when RDMA mode begins"),
            Map.entry("KeepAlive.watchStepNs", "set when RDMA mode begins"),
            Map.entry("KeepAlive.lookNs", "set when RDMA mode begins"),
            Map.entry("SegmentSorter.earlyReception", "made on the first hole, whose tables have a digest"));

    /** What fields refer to outside of {@link #OWNERS}, by the beginning of the class name, and where its state is covered. */
    private static final Map<String, String> OUTSIDE = Map.ofEntries(
            Map.entry("io.verbena.wire.", "views of bytes that are wrapped before each use"),
            Map.entry(
                    "io.verbena.iwarp.frame.",
                    "buffers of the frame in progress; the reason of a Terminate is covered"),
            Map.entry("io.verbena.iwarp.early.", "has its own digest, and is empty on a stream of bytes"),
            Map.entry("io.verbena.queue.", "changes by posts and completions, which the explorer covers"),
            Map.entry("io.verbena.work.", "works on queues and memory"),
            Map.entry("io.verbena.memory.", "memory and keys, which the explorer covers"),
            Map.entry("io.verbena.engine.", "the engine, which calls the digest"),
            Map.entry("io.verbena.base.", "slabs, and the state machine whose state is the phase"),
            Map.entry("io.verbena.notify.", "calls the application"),
            Map.entry("io.verbena.shm.", "the stream, which the explorer covers"),
            Map.entry("io.verbena.fixture.", "the stream, which the explorer covers"),
            Map.entry("io.verbena.rnic.", "the objects of the application, which the explorer covers"),
            Map.entry("java.lang.foreign.", "bytes"),
            Map.entry("jdk.internal.foreign.", "bytes"));

    private static final Map<String, Object> SAMPLES = Map.of(
            "StreamState.ending",
                    Optional.of(new Ending(
                            Ending.Kind.BROKEN,
                            Optional.empty(),
                            CompletionStatus.CONNECTION_LOST,
                            Optional.empty(),
                            "")),
            "IwarpQueuePair.remoteRights", Set.of(),
            "IwarpQueuePair.readLimits", new ReadLimits(3, 4));

    private final DigestFields fields = new DigestFields(OWNERS, MOST_OTHERS, UNCOVERED, OUTSIDE, SAMPLES);

    @Test
    void everyField_changed_changesTheDigest() throws Exception {
        try (ManualWorld world = ManualWorld.direct()) {
            Pair pair = busy(world);
            check(IwarpQueuePair.of(pair.a.queuePair));
            check(IwarpQueuePair.of(pair.b.queuePair));
            world.settle();
            lingering(pair);
            check(IwarpQueuePair.of(pair.b.queuePair));
        }
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world);
            convert(world, pair.a.queuePair, StreamConversion.asInitiator());
            convert(world, pair.b.queuePair, StreamConversion.asResponder());
        }
        fields.verify(101);
    }

    /** A connection with loans, grants, and requests that are not answered. */
    private static Pair busy(ManualWorld world) throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(0, pair.b.memory, 0, 100_000);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 100_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        for (int i = 0; i < 10; i++) {
            ManualEnvironment.of(pair.a.rnic).drive();
        }
        return pair;
    }

    /** Side B has ended the connection with a Terminate message, and side A does nothing. */
    private static void lingering(Pair pair) {
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED); // no receive is posted
        ManualEnvironment.of(pair.a.rnic).drive();
        pair.world.hang(pair.a.rnic, pair.fromA.localAddress());
        pair.world.settle();
        assertEquals(
                ConnectionPhase.TERMINATING, IwarpQueuePair.of(pair.b.queuePair).phase());
    }

    /** A stream whose peer does not answer. */
    private void convert(ManualWorld world, SoftQueuePair queuePair, StreamConversion conversion)
            throws IllegalAccessException {
        InetSocketAddress address = world.address();
        world.network.acceptAt(address);
        IwarpTransport.takeOver(
                queuePair, world.network.dial(address), conversion, (back, following) -> Optional.empty());
        world.settle();
        check(IwarpQueuePair.of(queuePair));
    }

    private void check(IwarpQueuePair root) throws IllegalAccessException {
        fields.check(root, root::stateDigest);
    }
}
