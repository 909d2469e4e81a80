package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Cases about reading, writing, half-closing, interrupts and asynchronous close. */
final class TransferCases {

    private TransferCases() {}

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        buffers(cases);
        vectors(cases);
        halves(cases);
        interrupts(cases);
        modes(cases);
        return cases;
    }

    private static final Map<String, IntFunction<ByteBuffer>> KINDS =
            Map.of("heap", ByteBuffer::allocate, "direct", ByteBuffer::allocateDirect);

    private static void buffers(Map<String, Stage.Body> cases) {
        for (int bytes : List.of(1, 100, 5_000, 300_000)) {
            KINDS.forEach((kind, allocate) -> {
                cases.put("transfer_" + kind + bytes, s -> {
                    Stage.Pair pair = s.pair();
                    var sum = s.submit(() -> sum(pair.server(), allocate.apply(bytes)));
                    ByteBuffer source = filled(allocate.apply(bytes));
                    int written = pair.client().write(source);
                    return List.of(written, source.remaining(), sum.get());
                });
                cases.put("transferBack_" + kind + bytes, s -> {
                    Stage.Pair pair = s.pair();
                    var sum = s.submit(() -> sum(pair.client(), allocate.apply(bytes)));
                    return List.of(pair.server().write(filled(allocate.apply(bytes))), sum.get());
                });
            });
        }
        cases.put("write_readOnlyBuffer", s -> {
            Stage.Pair pair = s.pair();
            int written = pair.client().write(Stage.text("const").asReadOnlyBuffer());
            return written + Stage.read(pair.server(), 5);
        });
        cases.put("write_sliceKeepsLimits", s -> {
            Stage.Pair pair = s.pair();
            ByteBuffer part = Stage.text("0123456789").position(2).limit(6);
            int written = pair.client().write(part);
            return written + Stage.read(pair.server(), 4) + part.position() + part.limit();
        });
        cases.put(
                "read_readOnlyBuffer",
                s -> s.pair().client().read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
        cases.put("read_null", s -> s.pair().client().read((ByteBuffer) null));
        cases.put("write_null", s -> s.pair().client().write((ByteBuffer) null));
        cases.put("read_emptyBuffer", s -> s.pair().client().read(ByteBuffer.allocate(0)));
        cases.put("write_emptyBuffer", s -> s.pair().client().write(ByteBuffer.allocate(0)));
        cases.put("read_partOfMessage_restLater", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("abcdef"));
            return Stage.read(pair.server(), 2) + "," + Stage.read(pair.server(), 4);
        });
        cases.put("read_crossesMessages", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("abc"));
            pair.client().write(Stage.text("def"));
            return Stage.read(pair.server(), 6);
        });
        cases.put("channelsStreams_work", s -> {
            Stage.Pair pair = s.pair();
            Channels.newOutputStream(pair.client()).write("stream".getBytes());
            return new String(Channels.newInputStream(pair.server()).readNBytes(6));
        });
        cases.put("transferTo_file", s -> {
            Stage.Pair pair = s.pair();
            var path = java.nio.file.Files.createTempFile("verbena", ".bin");
            try (var file = java.nio.channels.FileChannel.open(
                    path, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
                file.write(filled(ByteBuffer.allocate(40_000)), 0);
                var sum = s.submit(() -> sum(pair.server(), ByteBuffer.allocate(40_000)));
                long sent = 0;
                while (sent < 40_000) {
                    sent += file.transferTo(sent, 40_000 - sent, pair.client());
                }
                return sum.get();
            } finally {
                java.nio.file.Files.delete(path);
            }
        });
    }

    private static ByteBuffer filled(ByteBuffer buffer) {
        while (buffer.hasRemaining()) {
            buffer.put((byte) (buffer.position() * 31));
        }
        return buffer.flip();
    }

    private static long sum(SocketChannel from, ByteBuffer into) throws Exception {
        while (into.hasRemaining() && from.read(into) >= 0) {
            Thread.onSpinWait();
        }
        into.flip();
        long sum = 0;
        while (into.hasRemaining()) {
            sum = sum * 31 + into.get();
        }
        return sum;
    }

    private static void vectors(Map<String, Stage.Body> cases) {
        cases.put("gather_scatter", s -> {
            Stage.Pair pair = s.pair();
            long written = pair.client()
                    .write(new ByteBuffer[] {Stage.text("ab"), Stage.text(""), Stage.text("cde"), Stage.text("f")});
            ByteBuffer[] into = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(3), ByteBuffer.allocate(2)};
            long read = 0;
            while (read < 6) {
                read += pair.server().read(into);
            }
            return List.of(written, read, into[0].position(), into[1].position(), into[2].position());
        });
        cases.put("gather_part", s -> {
            Stage.Pair pair = s.pair();
            long written =
                    pair.client().write(new ByteBuffer[] {Stage.text("no"), Stage.text("yes"), Stage.text("no")}, 1, 1);
            return written + Stage.read(pair.server(), 3);
        });
        cases.put("gather_outOfRange", s -> s.pair().client().write(new ByteBuffer[1], 1, 1));
        cases.put("scatter_outOfRange", s -> s.pair().client().read(new ByteBuffer[1], 0, 2));
        cases.put("scatter_none", s -> s.pair().client().read(new ByteBuffer[0], 0, 0));
        cases.put("gather_none", s -> s.pair().client().write(new ByteBuffer[0], 0, 0));
        cases.put(
                "scatter_readOnly",
                s -> s.pair()
                        .client()
                        .read(new ByteBuffer[] {ByteBuffer.allocate(1).asReadOnlyBuffer()}));
        cases.put("scatter_atEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.client().shutdownOutput();
            return pair.server().read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)});
        });
        cases.put("gather_manyBuffers", s -> {
            Stage.Pair pair = s.pair();
            ByteBuffer[] many = new ByteBuffer[2_000];
            for (int i = 0; i < many.length; i++) {
                many[i] = Stage.text("0123456789");
            }
            var received = s.submit(() -> Stage.read(pair.server(), 20_000).length());
            long all = 0;
            while (all < 20_000) {
                all += pair.client().write(many);
            }
            return all + " " + received.get();
        });
    }

    private static void halves(Map<String, Stage.Body> cases) {
        cases.put("shutdownOutput_peerReadsEnd_otherDirectionWorks", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("req"));
            pair.client().shutdownOutput();
            String request = Stage.read(pair.server(), 10);
            pair.server().write(Stage.text("answer"));
            pair.server().shutdownOutput();
            return request + Stage.read(pair.client(), 10);
        });
        cases.put(
                "shutdownOutput_thenWrite",
                s -> s.pair().client().shutdownOutput().write(ByteBuffer.allocate(1)));
        cases.put(
                "shutdownOutput_twice",
                s -> s.pair().client().shutdownOutput().shutdownOutput().isOpen());
        cases.put(
                "shutdownInput_thenRead", s -> s.pair().client().shutdownInput().read(ByteBuffer.allocate(1)));
        cases.put(
                "shutdownInput_thenReadReadOnly",
                s -> s.pair()
                        .client()
                        .shutdownInput()
                        .read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
        cases.put("shutdownOutput_ofFreshAcceptedChannel_peerReadsEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.server().shutdownOutput();
            return Stage.read(pair.client(), 1);
        });
        cases.put(
                "shutdownInput_twice",
                s -> s.pair().client().shutdownInput().shutdownInput().isOpen());
        cases.put("shutdownInput_thenWriteWorks", s -> {
            Stage.Pair pair = s.pair();
            pair.client().shutdownInput();
            pair.client().write(Stage.text("still"));
            return Stage.read(pair.server(), 5);
        });
        cases.put("shutdownBoth_staysOpen", s -> {
            SocketChannel c = s.pair().client();
            c.shutdownInput();
            c.shutdownOutput();
            return c.isOpen() + " " + c.isConnected();
        });
        cases.put("end_isReadAgain", s -> {
            Stage.Pair pair = s.pair();
            pair.client().close();
            ByteBuffer into = ByteBuffer.allocate(1);
            return List.of(
                    pair.server().read(into),
                    pair.server().read(into),
                    pair.server().read(into));
        });
        cases.put("shutdownInput_wakesReader", s -> {
            SocketChannel c = s.pair().client();
            return s.blocked(() -> c.read(ByteBuffer.allocate(1)), _ -> c.shutdownInput());
        });
    }

    private static void interrupts(Map<String, Stage.Body> cases) {
        cases.put("read_interrupted", s -> {
            SocketChannel c = s.pair().client();
            return s.blocked(() -> c.read(ByteBuffer.allocate(1)), Thread::interrupt) + c.isOpen();
        });
        cases.put("serverRead_interrupted", s -> {
            SocketChannel c = s.pair().server();
            return s.blocked(() -> c.read(ByteBuffer.allocate(1)), Thread::interrupt) + c.isOpen();
        });
        cases.put("read_closedByAnotherThread", s -> {
            SocketChannel c = s.pair().client();
            return s.blocked(() -> c.read(ByteBuffer.allocate(1)), _ -> c.close());
        });
        cases.put("write_interrupted", s -> {
            SocketChannel c = s.pair().client();
            return s.blocked(() -> writeForEver(c), Thread::interrupt) + c.isOpen();
        });
        cases.put("write_closedByAnotherThread", s -> {
            SocketChannel c = s.pair().client();
            // A write that was blocked may have written a part; then the next one finds the channel closed.
            return s.blocked(() -> writeForEver(c), _ -> c.close())
                    .replace("Asynchronous", "ClosedChannel")
                    .replace("ClosedChannelClose", "ClosedChannel");
        });
        cases.put("read_alreadyInterrupted", s -> {
            SocketChannel c = s.pair().client();
            Thread.currentThread().interrupt();
            return tryOut(() -> c.read(ByteBuffer.allocate(1))) + Thread.interrupted() + c.isOpen();
        });
        cases.put("nonBlockingRead_alreadyInterrupted", s -> {
            SocketChannel c = s.pair().client();
            c.configureBlocking(false);
            Thread.currentThread().interrupt();
            return tryOut(() -> c.read(ByteBuffer.allocate(1))) + Thread.interrupted() + c.isOpen();
        });
        cases.put("read_peerCloses_wakesReader", s -> {
            Stage.Pair pair = s.pair();
            return s.blocked(
                    () -> pair.client().read(ByteBuffer.allocate(1)),
                    _ -> pair.server().close());
        });
        cases.put("read_peerWrites_wakesReader", s -> {
            Stage.Pair pair = s.pair();
            return s.blocked(
                    () -> pair.client().read(ByteBuffer.allocate(9)),
                    _ -> pair.server().write(Stage.text("x")));
        });
        cases.put("readAndWrite_inTwoThreads", s -> {
            Stage.Pair pair = s.pair();
            var echo = s.submit(() -> {
                ByteBuffer into = ByteBuffer.allocate(4096);
                while (pair.server().read(into) >= 0) {
                    Stage.writeAll(pair.server(), into.flip());
                    into.clear();
                }
                return pair.server().shutdownOutput().isOpen();
            });
            var back = s.submit(() -> Stage.read(pair.client(), 2_000_000).length());
            Stage.writeAll(pair.client(), ByteBuffer.allocate(1_000_000));
            pair.client().shutdownOutput();
            return echo.get() + " " + back.get();
        });
    }

    private static int writeForEver(SocketChannel c) throws Exception {
        while (true) {
            c.write(ByteBuffer.allocate(100_000));
        }
    }

    private static void modes(Map<String, Stage.Body> cases) {
        cases.put("nonBlockingRead_nothing", s -> {
            SocketChannel c = s.pair().client();
            c.configureBlocking(false);
            return c.read(ByteBuffer.allocate(1));
        });
        cases.put("nonBlockingRead_serverSide_nothing", s -> {
            SocketChannel c = s.pair().server();
            c.configureBlocking(false);
            return c.read(ByteBuffer.allocate(1));
        });
        cases.put("nonBlockingWrite_endsWithZero", s -> {
            SocketChannel c = s.pair().client();
            c.configureBlocking(false);
            int zero = -1;
            for (int i = 0; i < 1_000 && zero != 0; i++) {
                zero = c.write(ByteBuffer.allocate(100_000));
            }
            return zero;
        });
        cases.put("modeChanges_hundredTimes", s -> {
            Stage.Pair pair = s.pair();
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                pair.server().configureBlocking(i % 2 == 0);
                pair.client().write(Stage.text("a"));
                all.append(Stage.read(pair.server(), 1));
            }
            return all.length();
        });
        cases.put("configureBlocking_closed", s -> {
            SocketChannel c = s.pair().client();
            c.close();
            return c.configureBlocking(false);
        });
    }
}
