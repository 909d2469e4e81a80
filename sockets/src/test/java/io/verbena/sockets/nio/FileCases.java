package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cases about files that go into a channel or come out of one, in the way of a JVM with the agent, see {@link
 * CarriedFiles}.
 */
final class FileCases {

    private static final int LARGE = 300_000;

    /** More than any carrier keeps for a peer that does not read. */
    private static final int HUGE = 32 << 20;

    private static final CarriedFiles CARRIED = new CarriedFiles();

    private FileCases() {}

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        sending(cases);
        refusals(cases);
        receiving(cases);
        receivingLittle(cases);
        interrupts(cases);
        return cases;
    }

    /** As {@code transferTo} of a file channel with the agent. */
    private static long send(FileChannel file, long position, long count, SocketChannel to) throws IOException {
        return result(
                CARRIED.apply(new Object[] {file, position, count, to, true}),
                () -> file.transferTo(position, count, to));
    }

    private static long receive(FileChannel file, long position, long count, SocketChannel from) throws IOException {
        return result(
                CARRIED.apply(new Object[] {file, position, count, from, false}),
                () -> file.transferFrom(from, position, count));
    }

    private interface Transfer {
        long run() throws IOException;
    }

    private static long result(Object answer, Transfer ofTheJdk) throws IOException {
        return switch (answer) {
            case Long bytes -> bytes;
            case IOException failure -> throw failure;
            default -> ofTheJdk.run();
        };
    }

    /** A file that is deleted with the stage, with bytes that differ from place to place. */
    private static FileChannel file(Stage stage, int bytes) throws IOException {
        Path path = Files.createTempFile("verbena", ".bin");
        FileChannel file = stage.keep(FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));
        ByteBuffer content = ByteBuffer.allocate(bytes);
        while (content.hasRemaining()) {
            content.put((byte) (content.position() * 31 >> 3));
        }
        file.write(content.flip(), 0);
        return file;
    }

    private static long sum(SocketChannel from, int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining() && from.read(into) >= 0) {
            Thread.onSpinWait();
        }
        return sum(into.flip());
    }

    private static long sum(ByteBuffer of) {
        long sum = 0;
        while (of.hasRemaining()) {
            sum = sum * 31 + of.get();
        }
        return sum;
    }

    private static long sum(FileChannel of, int from, int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        int got = 0;
        while (into.hasRemaining() && got >= 0) {
            got = of.read(into, from + into.position());
        }
        return sum(into.flip());
    }

    private static void sending(Map<String, Stage.Body> cases) {
        cases.put("fileTo_all_inOneCallOfABlockingChannel", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, LARGE);
            var sum = s.submit(() -> sum(pair.server(), LARGE));
            return List.of(send(file, 0, LARGE, pair.client()), file.position(), sum.get());
        });
        cases.put("fileTo_ofServer_whichSpeaksFirst", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, LARGE);
            var sum = s.submit(() -> sum(pair.client(), LARGE));
            return List.of(send(file, 0, LARGE, pair.server()), sum.get());
        });
        cases.put("fileTo_nonBlocking_inSeveralCalls", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, LARGE);
            pair.client().configureBlocking(false);
            var sum = s.submit(() -> sum(pair.server(), LARGE));
            long sent = 0;
            while (sent < LARGE) {
                sent += send(file, sent, LARGE - sent, pair.client());
            }
            return List.of(sent, sum.get());
        });
        cases.put("fileTo_nonBlocking_endsWithZero", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, LARGE);
            pair.client().configureBlocking(false);
            long last = -1;
            for (int i = 0; i < 1_000 && last != 0; i++) {
                last = send(file, 0, LARGE, pair.client());
            }
            return last;
        });
        cases.put("fileTo_part_betweenWrites", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, 100);
            pair.client().write(Stage.text("before"));
            long sent = send(file, 10, 20, pair.client());
            pair.client().write(Stage.text("after"));
            return sent + " " + sum(pair.server(), 31);
        });
        cases.put("fileTo_moreThanTheFileHas", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, 100);
            return send(file, 60, 1_000, pair.client()) + " " + sum(pair.server(), 40);
        });
        cases.put("fileTo_atItsEnd", s -> send(file(s, 100), 100, 10, s.pair().client()));
        cases.put(
                "fileTo_beyondItsEnd", s -> send(file(s, 100), 101, 10, s.pair().client()));
        cases.put("fileTo_nothing", s -> send(file(s, 100), 0, 0, s.pair().client()));
        cases.put("fileTo_nonBlocking_nothingIsLeft", s -> {
            SocketChannel c = s.pair().client();
            c.configureBlocking(false);
            return send(file(s, 100), 100, 10, c);
        });
    }

    private static void refusals(Map<String, Stage.Body> cases) {
        cases.put("fileTo_notConnected", s -> send(file(s, 100), 0, 100, s.client()));
        cases.put("fileTo_afterShutdownOutput", s -> {
            SocketChannel c = s.pair().client();
            c.shutdownOutput();
            return send(file(s, 100), 0, 100, c);
        });
        cases.put("fileTo_closedChannel", s -> {
            SocketChannel c = s.pair().client();
            c.close();
            return send(file(s, 100), 0, 100, c);
        });
        cases.put("fileTo_closedFile", s -> {
            FileChannel file = file(s, 100);
            file.close();
            return send(file, 0, 100, s.pair().client());
        });
        cases.put("fileTo_peerShutsInput_takesAll", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, LARGE);
            pair.server().shutdownInput();
            return send(file, 0, LARGE, pair.client());
        });
        cases.put("fileTo_peerHasClosed_failsInTheEnd", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, 100);
            pair.server().close();
            return tryOut(() -> {
                while (true) {
                    send(file, 0, 100, pair.client());
                }
            });
        });
        cases.put("fileFrom_notConnected", s -> receive(file(s, 100), 0, 100, s.client()));
        cases.put("fileFrom_closedChannel", s -> {
            SocketChannel c = s.pair().client();
            c.close();
            return receive(file(s, 100), 0, 100, c);
        });
        cases.put("fileFrom_closedFile", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, 100);
            file.close();
            pair.server().write(Stage.text("x"));
            return receive(file, 0, 1, pair.client());
        });
    }

    private static void receiving(Map<String, Stage.Body> cases) {
        cases.put("fileFrom_all_inOneCallOfABlockingChannel", s -> {
            Stage.Pair pair = s.pair();
            FileChannel file = file(s, 10);
            var written = s.submit(() -> {
                Stage.writeAll(
                        pair.client(), ByteBuffer.wrap(Stage.text("abc").array().clone()));
                Stage.writeAll(pair.client(), ByteBuffer.allocate(LARGE));
                return true;
            });
            return List.of(receive(file, 5, LARGE, pair.server()), sum(file, 0, LARGE + 5), file.size(), written.get());
        });
        cases.put("fileFrom_theRestRemains", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("abcdef"));
            FileChannel file = file(s, 0);
            return receive(file, 0, 2, pair.server()) + " " + file.size() + Stage.read(pair.server(), 4);
        });
        cases.put("fileFrom_untilTheEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(ByteBuffer.allocate(5_000));
            pair.client().shutdownOutput();
            FileChannel file = file(s, 0);
            return List.of(
                    receive(file, 0, 10_000, pair.server()), receive(file, 0, 10_000, pair.server()), file.size());
        });
    }

    private static void receivingLittle(Map<String, Stage.Body> cases) {
        cases.put("fileFrom_nothing", s -> receive(file(s, 0), 0, 0, s.pair().server()));
        cases.put("fileFrom_nonBlocking_nothing", s -> {
            SocketChannel c = s.pair().client();
            c.configureBlocking(false);
            return receive(file(s, 0), 0, 10, c);
        });
        cases.put("fileFrom_nonBlocking_inSeveralCalls", s -> {
            Stage.Pair pair = s.pair();
            pair.server().configureBlocking(false);
            FileChannel file = file(s, 0);
            var written = s.submit(() -> {
                Stage.writeAll(pair.client(), ByteBuffer.allocate(LARGE));
                return true;
            });
            long got = 0;
            while (got < LARGE) {
                got += receive(file, got, LARGE - got, pair.server());
            }
            return List.of(got, file.size(), written.get());
        });
        cases.put("fileFrom_afterShutdownInput", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("abc"));
            pair.server().shutdownInput();
            return receive(file(s, 0), 0, 3, pair.server());
        });
        cases.put("fileFrom_shutdownInputMeanwhile", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, 0);
            return s.blocked(() -> receive(file, 0, 3, c), _ -> c.shutdownInput());
        });
        cases.put("fileFrom_readOnlyFile_losesNothing", s -> {
            Stage.Pair pair = s.pair();
            Path path = Files.createTempFile("verbena", ".bin");
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                pair.client().write(Stage.text("abc"));
                return tryOut(() -> file.transferFrom(pair.server(), 0, 3)) + Stage.read(pair.server(), 3);
            } finally {
                Files.delete(path);
            }
        });
    }

    private static void interrupts(Map<String, Stage.Body> cases) {
        cases.put("fileTo_interrupted", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, HUGE);
            return s.blocked(() -> send(file, 0, HUGE, c), Thread::interrupt) + c.isOpen();
        });
        cases.put("fileTo_closedByAnotherThread", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, HUGE);
            // A part was transferred before, whose size depends on the carrier.
            return s.blocked(() -> send(file, 0, HUGE, c) < HUGE, _ -> c.close());
        });
        cases.put("fileFrom_interrupted", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, 0);
            return s.blocked(() -> receive(file, 0, 3, c), Thread::interrupt) + c.isOpen();
        });
        cases.put("fileFrom_closedByAnotherThread", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, 0);
            return s.blocked(() -> receive(file, 0, 3, c), _ -> c.close());
        });
        cases.put("fileFrom_alreadyInterrupted", s -> {
            SocketChannel c = s.pair().client();
            FileChannel file = file(s, 0);
            Thread.currentThread().interrupt();
            return tryOut(() -> receive(file, 0, 3, c)) + Thread.interrupted() + c.isOpen();
        });
    }
}
