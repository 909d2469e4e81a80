package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An operation fails when no rank is left that could complete it, whatever the operation waits for and however the others have left:
 * it does not wait for its time-out. A rank that closes its communicator waits for all ranks in a barrier, so a barrier of the program
 * ends, too.
 */
class LeftRanksTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** How the other ranks have left. */
    enum Leaving {
        /** They have exchanged messages with this rank before, and have called close. */
        CONNECTED,
        /** This rank has no connection to them. */
        UNCONNECTED,
        /** They leave while this rank already waits. */
        MEANWHILE
    }

    /** An operation that waits for another rank. */
    enum Waiting {
        RECEIVE_ANY {
            @Override
            void begin(Communicator world) {
                world.recv(Payloads.segment(8, 0), Communicator.ANY_SOURCE, 5);
            }
        },
        RECEIVE_ANY_STARTED {
            @Override
            void begin(Communicator world) {
                world.irecv(Payloads.segment(8, 0), Communicator.ANY_SOURCE, 5).await();
            }
        },
        RECEIVE_FROM_IT {
            @Override
            void begin(Communicator world) {
                world.recv(Payloads.segment(8, 0), world.size() - 1, 5);
            }
        },
        PROBE_ANY {
            @Override
            void begin(Communicator world) {
                world.probe(Communicator.ANY_SOURCE, 5);
            }
        },
        PROBE_IT {
            @Override
            void begin(Communicator world) {
                world.probe(world.size() - 1, 5);
            }
        },
        BROADCAST {
            @Override
            void begin(Communicator world) {
                world.bcast(Payloads.segment(8, 0), world.size() - 1);
            }
        };

        abstract void begin(Communicator world);
    }

    static Stream<Arguments> cases() {
        List<Arguments> all = new ArrayList<>();
        for (String provider : List.of("iwarp", "shm", "roce")) {
            for (int size : new int[] {2, 3}) {
                for (Leaving leaving : Leaving.values()) {
                    all.add(Arguments.of(provider, size, leaving));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void othersHaveLeft_everyWait_failsBeforeItsTimeout(String provider, int size, Leaving leaving) {
        MessagingOptions options = MessagingOptions.defaults()
                .withRnic(RnicOptions.defaults().withProvider(provider))
                .withTimeout(TIMEOUT);
        List<String> late = new ArrayList<>();
        for (Waiting waiting : Waiting.values()) {
            CountDownLatch left = new CountDownLatch(size - 1);
            Ranks.run(size, options, world -> {
                if (leaving != Leaving.UNCONNECTED) {
                    world.barrier();
                }
                if (world.rank() != 0) {
                    left.countDown();
                    return; // closes the communicator, which waits for all ranks
                }
                while (leaving == Leaving.CONNECTED && left.getCount() > 0) {
                    world.progress(); // the others may need it to leave the barrier
                }
                String reason = String.valueOf(assertThrows(MessagingException.class, () -> waiting.begin(world))
                        .getMessage());
                if (reason.contains(" within ")) {
                    late.add(waiting + ": " + reason);
                }
            });
        }
        assertEquals(List.of(), late);
    }
}
