package io.verbena.sockets.nio.opening;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Both sides of the beginning of a stream, in all orders of what can happen: bytes arrive whole or cut, the client loses patience, and the
 * program of the server gets the stream and writes at any moment.
 */
class OpeningModelTest {

    private static final byte[] FROM_CLIENT = "V from the client".getBytes(US_ASCII);
    private static final byte[] FROM_SERVER = "MPA from the server".getBytes(US_ASCII);
    private static final byte[] STREAM_REQUEST = streamRequest();

    /** What can happen next. */
    private enum Step {
        TO_SERVER,
        PART_TO_SERVER,
        TO_CLIENT,
        PART_TO_CLIENT,
        CLIENT_LOSES_PATIENCE,
        CLIENT_PROGRAM_WRITES,
        SERVER_SHOWS,
        SERVER_PROGRAM_WRITES
    }

    private static byte[] streamRequest() {
        return ByteBuffer.allocate(64)
                .put("MPA ID Req Frame".getBytes(US_ASCII))
                .put((byte) 0)
                .put((byte) 2)
                .putShort((short) 44)
                .putInt(0)
                .put((byte) 1)
                .array();
    }

    /** One run: a list of steps is replayed from the beginning. */
    private static final class Run {
        private final ClientOpening client = new ClientOpening(42);
        private final ServerOpening server = new ServerOpening(true);
        private byte[] toServer = client.upgrade();
        private byte[] toClient = new byte[0];
        private boolean clientSaid;
        private boolean serverSaid;

        private static byte[] joined(byte[] first, byte[] second) {
            return ByteBuffer.allocate(first.length + second.length)
                    .put(first)
                    .put(second)
                    .array();
        }

        /** Returns whether the step was possible. */
        boolean step(Step step) {
            return switch (step) {
                case TO_SERVER -> arrive(true, toServer.length);
                case PART_TO_SERVER -> toServer.length > 1 && arrive(true, Math.min(7, toServer.length - 1));
                case TO_CLIENT -> arrive(false, toClient.length);
                case PART_TO_CLIENT -> toClient.length > 1 && arrive(false, Math.min(7, toClient.length - 1));
                case CLIENT_LOSES_PATIENCE -> client.state() == ClientOpening.State.ASKED && withdraw();
                case CLIENT_PROGRAM_WRITES -> clientWrites();
                case SERVER_SHOWS -> shows();
                case SERVER_PROGRAM_WRITES -> serverWrites();
            };
        }

        private boolean arrive(boolean atServer, int bytes) {
            byte[] from = atServer ? toServer : toClient;
            if (bytes == 0) {
                return false;
            }
            ByteBuffer piece = ByteBuffer.wrap(from, 0, bytes);
            byte[] rest = java.util.Arrays.copyOfRange(from, bytes, from.length);
            if (atServer) {
                toServer = rest;
                server.onBytes(piece);
                toClient = joined(toClient, server.takeReply());
            } else {
                toClient = rest;
                client.onBytes(piece);
                onAnswer();
            }
            return true;
        }

        private void onAnswer() {
            switch (client.state()) {
                case AGREED -> {
                    if (!clientSaid) {
                        toServer = joined(toServer, STREAM_REQUEST);
                        clientSaid = true;
                    }
                }
                case DECLINED, ANSWERED -> withdraw();
                default -> {}
            }
        }

        private boolean withdraw() {
            toServer = joined(toServer, client.withdraw());
            return true;
        }

        private boolean clientWrites() {
            boolean tcp =
                    client.state() == ClientOpening.State.WITHDRAWN || client.state() == ClientOpening.State.PLAIN;
            if (!tcp || clientSaid) {
                return false;
            }
            clientSaid = true;
            toServer = joined(toServer, FROM_CLIENT);
            return true;
        }

        private boolean shows() {
            if (server.state() != ServerOpening.State.WATCHED || server.partial()) {
                return false;
            }
            server.onShown();
            return true;
        }

        private boolean serverWrites() {
            boolean has = switch (server.state()) {
                case SHOWN, PLAIN -> true;
                case DROPPING -> shown();
                default -> false;
            };
            if (!has || serverSaid) {
                return false;
            }
            serverSaid = true;
            server.onWritten();
            toClient = joined(toClient, FROM_SERVER);
            return true;
        }

        private boolean shown() {
            ServerOpening.State before = server.state();
            return before == ServerOpening.State.DROPPING && serverShown;
        }

        private boolean serverShown;

        /** Everything arrives, and both programs say what they have not said. */
        void finish() {
            boolean moved = true;
            while (moved) {
                moved = step(Step.TO_SERVER) | step(Step.TO_CLIENT);
                if (!moved) {
                    moved = step(Step.CLIENT_LOSES_PATIENCE)
                            || step(Step.CLIENT_PROGRAM_WRITES)
                            || step(Step.SERVER_PROGRAM_WRITES);
                }
            }
            client.onEndOfFrames();
        }

        String outcome() {
            return server.state() + " and " + client.state();
        }
    }

    private static String text(ByteBuffer bytes) {
        return US_ASCII.decode(bytes).toString();
    }

    private static void check(List<Step> steps, TreeSet<String> outcomes) {
        Run run = new Run();
        for (Step step : steps) {
            run.serverShown |= step == Step.SERVER_SHOWS;
            assertTrue(run.step(step), steps.toString());
        }
        run.finish();
        outcomes.add(run.outcome());
        String when = steps + ": " + run.outcome();
        if (run.server.state() == ServerOpening.State.REQUEST) {
            assertEquals(ClientOpening.State.AGREED, run.client.state(), when);
            assertEquals(ByteBuffer.wrap(STREAM_REQUEST), run.server.read(), when);
            assertEquals(0, run.client.read().remaining(), when);
        } else {
            assertEquals("PLAIN and PLAIN", run.outcome(), when);
            assertEquals(new String(FROM_CLIENT, US_ASCII), text(run.server.read()), when);
            assertEquals(new String(FROM_SERVER, US_ASCII), text(run.client.read()), when);
        }
    }

    private static void explore(List<Step> steps, int depth, TreeSet<String> outcomes, int[] count) {
        check(steps, outcomes);
        count[0]++;
        if (depth == 0) {
            return;
        }
        for (Step step : Step.values()) {
            Run run = new Run();
            steps.forEach(each -> {
                run.serverShown |= each == Step.SERVER_SHOWS;
                run.step(each);
            });
            if (run.step(step)) {
                List<Step> longer = new ArrayList<>(steps);
                longer.add(step);
                explore(longer, depth - 1, outcomes, count);
            }
        }
    }

    @Test
    void allOrders_bothSidesAgree_andNoByteIsLost() {
        TreeSet<String> outcomes = new TreeSet<>();
        int[] count = new int[1];
        explore(List.of(), 9, outcomes, count);
        assertEquals("[PLAIN and PLAIN, REQUEST and AGREED]", outcomes.toString());
        assertTrue(count[0] > 5_000, count[0] + " orders");
    }
}
