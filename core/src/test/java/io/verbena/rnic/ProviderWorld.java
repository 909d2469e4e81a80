package io.verbena.rnic;

import io.verbena.fixture.MemoryStream;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairState;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A provider in virtual time, as the parameter of the tests that every provider must pass ({@link ConnectTest}, {@link
 * SteadyStateAllocationTest}). A new provider adds a constant.
 */
public enum ProviderWorld {
    IWARP(IwarpQueuePairState.IDLE, IwarpQueuePairState.RTS) {
        @Override
        ManualWorld open() {
            return new ManualWorld();
        }

        @Override
        InetSocketAddress nowhere(ManualWorld world) {
            return world.address();
        }

        @Override
        InetSocketAddress silent(ManualWorld world) {
            world.network.silent = true;
            return world.address();
        }

        @Override
        int mostRequestBytes() {
            return 508;
        }

        @Override
        int mostRejectionBytes() {
            return 508;
        }

        @Override
        Runnable carrier(ManualWorld world) {
            MemoryStream[] streams = world.network.streams.toArray(MemoryStream[]::new);
            return () -> {
                for (MemoryStream stream : streams) {
                    stream.poll();
                }
            };
        }
    },

    ROCE(InfinibandQueuePairState.RESET, InfinibandQueuePairState.RTS) {
        @Override
        ManualWorld open() {
            return ManualWorld.roce();
        }

        @Override
        InetSocketAddress nowhere(ManualWorld world) {
            return new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 7);
        }

        @Override
        InetSocketAddress silent(ManualWorld world) {
            return new InetSocketAddress(InetAddress.ofLiteral("10.0.0.9"), 7);
        }

        @Override
        int mostRequestBytes() {
            return 56;
        }

        @Override
        int mostRejectionBytes() {
            return 148;
        }

        @Override
        Runnable carrier(ManualWorld world) {
            return world.packets::poll;
        }
    },

    SHM(IwarpQueuePairState.IDLE, IwarpQueuePairState.RTS) {
        @Override
        ManualWorld open() {
            return ManualWorld.rings();
        }

        @Override
        InetSocketAddress nowhere(ManualWorld world) {
            return world.address();
        }

        @Override
        InetSocketAddress silent(ManualWorld world) {
            world.network.silent = true;
            return world.address();
        }

        @Override
        int mostRequestBytes() {
            return IWARP.mostRequestBytes();
        }

        @Override
        int mostRejectionBytes() {
            return IWARP.mostRejectionBytes();
        }

        @Override
        Runnable carrier(ManualWorld world) {
            Runnable sockets = IWARP.carrier(world);
            return () -> {
                sockets.run();
                world.pollRings();
            };
        }
    };

    private final QueuePairState unconnected;
    private final QueuePairState connected;

    ProviderWorld(QueuePairState unconnected, QueuePairState connected) {
        this.unconnected = unconnected;
        this.connected = connected;
    }

    /** A new world, whose RNICs are of this provider. */
    abstract ManualWorld open();

    /** An address of the second RNIC, or of any host, at which no listener is. */
    abstract InetSocketAddress nowhere(ManualWorld world);

    /** An address that does not answer. */
    abstract InetSocketAddress silent(ManualWorld world);

    /** Maximum length of the private data of a connection request. */
    abstract int mostRequestBytes();

    /** Maximum length of the private data of a rejection. */
    abstract int mostRejectionBytes();

    /** Carries what the connected RNICs have sent to each other, without allocation. */
    abstract Runnable carrier(ManualWorld world);

    /** State of a queue pair that has not been connected, or whose connection was not established. */
    QueuePairState unconnected() {
        return unconnected;
    }

    /** State of a connected queue pair. */
    QueuePairState connected() {
        return connected;
    }
}
