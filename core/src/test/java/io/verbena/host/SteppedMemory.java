package io.verbena.host;

import io.verbena.base.RandomSource;
import io.verbena.host.segment.HostSharedMemory;
import io.verbena.host.segment.SharedRegions;
import io.verbena.host.system.BufferedRandom;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.shm.SharedBlocks;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/** Shared memory that reports each step of its use, in the thread that does it. */
final class SteppedMemory extends HostSharedMemory {

    /** What happens to memory of a connection or of a region, in the order of a connection. */
    enum Step {
        CREATE,
        CREATED,
        OPEN,
        OPENED,
        SHARED,
        REGION_OPEN,
        REGION_OPENED,
        REGION_CLOSE,
        GRANT_OPEN,
        GRANT_OPENED,
        GRANT_CLOSE,
        TRAFFIC;

        /** Whether it happens with direct access only. */
        boolean needsDirect() {
            return this == GRANT_OPEN || this == GRANT_OPENED || this == GRANT_CLOSE;
        }
    }

    private final Consumer<Step> steps;

    private SteppedMemory(RandomSource random, Consumer<Step> steps) {
        super(random, new SteppedRegions(random, steps));
        this.steps = steps;
    }

    /** An RNIC that chooses shared memory, like those of the provider auto. */
    public static Rnic open(boolean direct, Consumer<Step> steps) {
        RnicOptions options = RnicOptions.defaults().withIwarp(it -> it.withDirect(direct));
        return open(options, new SteppedMemory(new BufferedRandom(), steps), false);
    }

    /** An RNIC with this shared memory. */
    public static Rnic open(RnicOptions options, HostSharedMemory memory, boolean required) {
        HostEnvironment environment =
                new HostEnvironment(options, FaultPlan.none(), PacketFaults.none(), Optional.of(memory), required);
        return environment.open(
                () -> new SocketRnic(environment, options, new IwarpTransport("auto", TransportType.IWARP)));
    }

    @Override
    public Mapped create(int bytes) throws IOException {
        steps.accept(Step.CREATE);
        Mapped mapped = super.create(bytes);
        steps.accept(Step.CREATED);
        return new SteppedMapping(mapped, steps);
    }

    @Override
    public Mapped open(long process, int handle, int bytes) throws IOException {
        steps.accept(Step.OPEN);
        Mapped mapped = super.open(process, handle, bytes);
        steps.accept(Step.OPENED);
        return mapped;
    }

    private record SteppedMapping(Mapped inner, Consumer<Step> steps) implements Mapped {

        @Override
        public ByteBuffer bytes() {
            return inner.bytes();
        }

        @Override
        public long process() {
            return inner.process();
        }

        @Override
        public int handle() {
            return inner.handle();
        }

        @Override
        public void shared() {
            steps.accept(Step.SHARED);
            inner.shared();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    private static final class SteppedRegions extends SharedRegions {
        private final Consumer<Step> steps;

        SteppedRegions(RandomSource random, Consumer<Step> steps) {
            super(random, true);
            this.steps = steps;
        }

        @Override
        public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
            steps.accept(Step.REGION_OPEN);
            Opened opened = super.open(process, handle, length, nonceHigh, nonceLow);
            steps.accept(Step.REGION_OPENED);
            return new Opened() {
                @Override
                public ByteBuffer bytes() {
                    return opened.bytes();
                }

                @Override
                public void close() {
                    steps.accept(Step.REGION_CLOSE);
                    opened.close();
                }
            };
        }

        @Override
        public Shared openShared(long process, int handle, int length, long nonceHigh, long nonceLow)
                throws IOException {
            steps.accept(Step.GRANT_OPEN);
            Shared shared = super.openShared(process, handle, length, nonceHigh, nonceLow);
            steps.accept(Step.GRANT_OPENED);
            return new SteppedShared(shared, steps);
        }
    }

    private record SteppedShared(SharedBlocks.Shared inner, Consumer<Step> steps) implements SharedBlocks.Shared {

        @Override
        public MemorySegment region() {
            return inner.region();
        }

        @Override
        public MemorySegment page() {
            return inner.page();
        }

        @Override
        public void close() {
            steps.accept(Step.GRANT_CLOSE);
            inner.close();
        }
    }
}
