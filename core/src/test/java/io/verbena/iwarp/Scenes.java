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
        void post(StreamPair p, Region local, Region remote) {
            for (int i = 0; i < 4; i++) {
                int at = i * 1000;
                p.b.postReceive(100 + i, remote, at, 900);
                p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), at, 600 + at / 10));
            }
        }
    },
    LONG_SEND {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            p.b.postReceive(100, remote, 0, 4000);
            p.b.postReceive(101, remote, 4000, 0);
            p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 5, 3500));
            p.a.post(WorkOpcode.SEND, w -> w.wrId(2));
        }
    },
    WRITES {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            p.b.postReceive(100, remote, 0, 1);
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(1)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 7)
                            .addElement(local.localKey(), 0, 2300));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(2)
                            .rkey(remote.rkey())
                            .operand1(-3)
                            .remoteAddress(remote.baseAddress() + 3000)
                            .addElement(local.localKey(), 3000, 900));
        }
    },
    /** Immediate data belong to a Write only if they follow it directly. */
    IMMEDIATES {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            for (int i = 0; i < 4; i++) {
                p.b.postReceive(100 + i, remote, 8000 + 1000 * i, 1000);
            }
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(1)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 7)
                            .addElement(local.localKey(), 0, 800));
            p.a.post(WorkOpcode.SEND, w -> w.wrId(2).addElement(local.localKey(), 1000, 600));
            p.a.post(WorkOpcode.SEND_WITH_IMMEDIATE, w -> w.wrId(3).operand1(5));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(4).rkey(RequestFrames.ANY_STAG).operand1(7));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(5)
                            .rkey(remote.rkey())
                            .operand1(6)
                            .remoteAddress(remote.baseAddress() + 3000)
                            .addElement(local.localKey(), 3000, 500));
        }
    },
    READS {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            for (int i = 0; i < 4; i++) {
                int at = i * 2000;
                p.a.post(
                        WorkOpcode.READ,
                        w -> w.wrId(1 + at)
                                .rkey(remote.rkey())
                                .remoteAddress(remote.baseAddress() + at)
                                .addElement(local.localKey(), at, 1000)
                                .addElement(local.localKey(), at + 1100, at / 8));
            }
        }
    },
    ATOMICS {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            for (int i = 0; i < 4; i++) {
                int at = i * 8;
                p.a.post(
                        WorkOpcode.FETCH_AND_ADD,
                        w -> w.wrId(1)
                                .rkey(remote.rkey())
                                .operand1(5)
                                .remoteAddress(remote.baseAddress() + 16)
                                .addElement(local.localKey(), at, 8));
            }
        }
    },
    ALL {
        @Override
        void post(StreamPair p, Region local, Region remote) {
            Region victim = p.b.region(100);
            for (int i = 0; i < 4; i++) {
                p.b.postReceive(100 + i, remote, 8000 + 1000 * i, 1000);
            }
            p.a.post(
                    WorkOpcode.SEND,
                    WrFlags.SIGNALLED.withSolicited(),
                    w -> w.wrId(1).addElement(local.localKey(), 10, 700));
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(2)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 100)
                            .addElement(local.localKey(), 800, 1700));
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.wrId(3)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 4000)
                            .addElement(local.localKey(), 6000, 1500));
            p.a.post(
                    WorkOpcode.FETCH_AND_ADD,
                    w -> w.wrId(4)
                            .rkey(remote.rkey())
                            .operand1(1)
                            .remoteAddress(remote.baseAddress() + 15_000)
                            .addElement(local.localKey(), 9000, 8));
            p.a.post(
                    WorkOpcode.SEND_WITH_INVALIDATE,
                    w -> w.wrId(5).rkey(victim.rkey()).addElement(local.localKey(), 3000, 900));
            p.a.post(
                    WorkOpcode.WRITE_WITH_IMMEDIATE,
                    w -> w.wrId(6)
                            .rkey(remote.rkey())
                            .operand1(9)
                            .remoteAddress(remote.baseAddress() + 2000)
                            .addElement(local.localKey(), 4000, 650));
            p.a.post(
                    WorkOpcode.COMPARE_AND_SWAP,
                    w -> w.wrId(7)
                            .rkey(remote.rkey())
                            .operand1(1)
                            .operand2(8)
                            .remoteAddress(remote.baseAddress() + 15_008)
                            .addElement(local.localKey(), 9008, 8));
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.wrId(8)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 6000)
                            .addElement(local.localKey(), 10_000, 20));
            p.a.post(
                    WorkOpcode.SEND,
                    WrFlags.SIGNALLED.withFence(),
                    w -> w.wrId(9).addElement(local.localKey(), 5000, 10));
        }
    };

    private static final int BYTES = 16_000;

    abstract void post(StreamPair pair, Region local, Region remote);

    Reordering.Scene begin(boolean markers, int payload, RtrKind rtr, UnaryOperator<UlpduSink> around) {
        StreamPair pair = new StreamPair(true, markers, payload, Optional.of(rtr), 256, around);
        Region local = pair.a.region(BYTES);
        Region remote = pair.b.region(BYTES);
        StreamPair.fill(local, 1);
        StreamPair.fill(remote, 2);
        post(pair, local, remote);
        return new Reordering.Scene(pair, markers, List.of(local, remote));
    }

    public Reordering reordering(boolean markers, int payload, RtrKind rtr) {
        return new Reordering(() -> begin(markers, payload, rtr, UnaryOperator.identity()));
    }
}
