package io.verbena.iwarp;

import io.verbena.iwarp.early.UlpduSink;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Scripts for {@link Reordering}: each kind of message alone, and all of them together. */
public enum Scenes {
    SENDS {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            for (int i = 0; i < 4; i++) {
                int at = i * 1000;
                p.b.postReceive(100 + i, theirs, at, 900);
                p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(mine.localKey(), at, 600 + at / 10));
            }
        }
    },
    LONG_SEND {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            p.b.postReceive(100, theirs, 0, 4000);
            p.b.postReceive(101, theirs, 4000, 0);
            p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(mine.localKey(), 5, 3500));
            p.a.post(WorkOpcode.SEND, w -> w.wrId(2));
        }
    },
    WRITES {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            p.b.postReceive(100, theirs, 0, 1);
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(1)
                            .rkey(theirs.rkey())
                            .remoteAddress(theirs.baseAddress() + 7)
                            .addElement(mine.localKey(), 0, 2300));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(2)
                            .rkey(theirs.rkey())
                            .operand1(-3)
                            .remoteAddress(theirs.baseAddress() + 3000)
                            .addElement(mine.localKey(), 3000, 900));
        }
    },
    /** Immediate data belong to a Write only if they follow it directly. */
    IMMEDIATES {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            for (int i = 0; i < 4; i++) {
                p.b.postReceive(100 + i, theirs, 8000 + 1000 * i, 1000);
            }
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(1)
                            .rkey(theirs.rkey())
                            .remoteAddress(theirs.baseAddress() + 7)
                            .addElement(mine.localKey(), 0, 800));
            p.a.post(WorkOpcode.SEND, w -> w.wrId(2).addElement(mine.localKey(), 1000, 600));
            p.a.post(WorkOpcode.SEND_WITH_IMMEDIATE, w -> w.wrId(3).operand1(5));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(4).rkey(RequestFrames.ANY_STAG).operand1(7));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(5)
                            .rkey(theirs.rkey())
                            .operand1(6)
                            .remoteAddress(theirs.baseAddress() + 3000)
                            .addElement(mine.localKey(), 3000, 500));
        }
    },
    READS {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            for (int i = 0; i < 4; i++) {
                int at = i * 2000;
                p.a.post(
                        WorkOpcode.READ,
                        w -> w.wrId(1 + at)
                                .rkey(theirs.rkey())
                                .remoteAddress(theirs.baseAddress() + at)
                                .addElement(mine.localKey(), at, 1000)
                                .addElement(mine.localKey(), at + 1100, at / 8));
            }
        }
    },
    ATOMICS {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            for (int i = 0; i < 4; i++) {
                int at = i * 8;
                p.a.post(
                        WorkOpcode.FETCH_AND_ADD,
                        w -> w.wrId(1)
                                .rkey(theirs.rkey())
                                .operand1(5)
                                .remoteAddress(theirs.baseAddress() + 16)
                                .addElement(mine.localKey(), at, 8));
            }
        }
    },
    ALL {
        @Override
        void post(StreamPair p, Region mine, Region theirs) {
            Region victim = p.b.region(100);
            for (int i = 0; i < 4; i++) {
                p.b.postReceive(100 + i, theirs, 8000 + 1000 * i, 1000);
            }
            p.a.post(
                    WorkOpcode.SEND,
                    WrFlags.SIGNALLED.withSolicited(),
                    w -> w.wrId(1).addElement(mine.localKey(), 10, 700));
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(2)
                            .rkey(theirs.rkey())
                            .remoteAddress(theirs.baseAddress() + 100)
                            .addElement(mine.localKey(), 800, 1700));
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.wrId(3)
                            .rkey(theirs.rkey())
                            .remoteAddress(theirs.baseAddress() + 4000)
                            .addElement(mine.localKey(), 6000, 1500));
            p.a.post(
                    WorkOpcode.FETCH_AND_ADD,
                    w -> w.wrId(4)
                            .rkey(theirs.rkey())
                            .operand1(1)
                            .remoteAddress(theirs.baseAddress() + 15_000)
                            .addElement(mine.localKey(), 9000, 8));
            p.a.post(
                    WorkOpcode.SEND_WITH_INVALIDATE,
                    w -> w.wrId(5).rkey(victim.rkey()).addElement(mine.localKey(), 3000, 900));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(6)
                            .rkey(theirs.rkey())
                            .operand1(9)
                            .remoteAddress(theirs.baseAddress() + 2000)
                            .addElement(mine.localKey(), 4000, 650));
            p.a.post(
                    WorkOpcode.COMPARE_AND_SWAP,
                    w -> w.wrId(7)
                            .rkey(theirs.rkey())
                            .operand1(1)
                            .operand2(8)
                            .remoteAddress(theirs.baseAddress() + 15_008)
                            .addElement(mine.localKey(), 9008, 8));
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.wrId(8)
                            .rkey(theirs.rkey())
                            .remoteAddress(theirs.baseAddress() + 6000)
                            .addElement(mine.localKey(), 10_000, 20));
            p.a.post(
                    WorkOpcode.SEND,
                    WrFlags.SIGNALLED.withFence(),
                    w -> w.wrId(9).addElement(mine.localKey(), 5000, 10));
        }
    };

    private static final int BYTES = 16_000;

    abstract void post(StreamPair pair, Region mine, Region theirs);

    Reordering.Scene begin(boolean markers, int payload, RtrKind rtr, UnaryOperator<UlpduSink> around) {
        StreamPair pair = new StreamPair(true, markers, payload, Optional.of(rtr), 256, around);
        Region mine = pair.a.region(BYTES);
        Region theirs = pair.b.region(BYTES);
        StreamPair.fill(mine, 1);
        StreamPair.fill(theirs, 2);
        post(pair, mine, theirs);
        return new Reordering.Scene(pair, markers, List.of(mine, theirs));
    }

    public Reordering reordering(boolean markers, int payload, RtrKind rtr) {
        return new Reordering(() -> begin(markers, payload, rtr, UnaryOperator.identity()));
    }
}
