package io.verbena.rnic;

import org.junit.jupiter.api.Nested;

/**
 * Programs get the same from streams through shared memory as from TCP: the same tests, with sides that sleep when idle.
 * See also {@link ProviderWorld#SHM}.
 */
class SharedRingsTest {

    @Nested
    class Traffic extends TrafficTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }

    @Nested
    class Queues extends QueuesTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }

    @Nested
    class RemoteKeys extends RemoteKeysRnicTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }

    @Nested
    class KeyValues extends KeyValuesRnicTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }

    @Nested
    class Listening extends ListenerTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }

    @Nested
    class Posting extends PostingTest {
        @Override
        public ManualWorld newWorld() {
            return ManualWorld.rings();
        }
    }
}
