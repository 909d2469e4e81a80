package io.verbena.storage.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.Status;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device of a user that throws: the command fails, and the host, the other hosts and the server continue. */
class ThrowingDeviceTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final InetAddress SERVER = InetAddress.ofLiteral("127.0.0.87");

    /** What the device does once, and where. */
    private enum Fault {
        EXCEPTION,
        ERROR,
        OUT_OF_MEMORY,
        INTERRUPT;

        void happen() {
            switch (this) {
                case EXCEPTION -> throw new IllegalStateException("a fault of the device");
                case ERROR -> throw new AssertionError("a fault of the device");
                case OUT_OF_MEMORY -> throw new OutOfMemoryError("a fault of the device");
                case INTERRUPT -> Thread.currentThread().interrupt();
            }
        }
    }

    private static final class Throwing implements BlockDevice {
        private final MemoryDevice blocks = new MemoryDevice(1 << 20, 512);
        private final AtomicReference<String> place = new AtomicReference<>("");
        private final boolean waits;
        private volatile Fault fault = Fault.EXCEPTION;

        Throwing(boolean waits) {
            this.waits = waits;
        }

        void arm(String where, Fault what) {
            fault = what;
            place.set(where);
        }

        private void at(String here) {
            if (place.get().equals(here)) {
                place.set("");
                fault.happen();
            }
        }

        @Override
        public int blockBytes() {
            at("blockBytes");
            return 512;
        }

        @Override
        public long blocks() {
            at("blocks");
            return blocks.blocks();
        }

        @Override
        public boolean readOnly() {
            at("readOnly");
            return false;
        }

        @Override
        public boolean mayWait() {
            at("mayWait");
            return waits;
        }

        @Override
        public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
            at("read");
            return blocks.read(block, count, buffer, offset);
        }

        @Override
        public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
            at("write");
            return blocks.write(block, count, buffer, offset, durable);
        }

        @Override
        public DeviceStatus flush() {
            at("flush");
            return blocks.flush();
        }

        @Override
        public void close() {
            blocks.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "write", "flush", "blocks", "blockBytes", "readOnly", "mayWait"})
    void device_thatThrowsOnce_failsOneCommand_andTheHostContinues(String where) throws Exception {
        for (Fault fault : Fault.values()) {
            for (boolean waits : new boolean[] {false, true}) {
                serve(where, fault, new Throwing(waits));
            }
        }
    }

    private static void serve(String where, Fault fault, Throwing device) throws IOException, ConnectionException {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        try (Rnic serving = Rnic.open();
                Rnic using = Rnic.open();
                DiskServer server = DiskServer.start(serving, target, new InetSocketAddress(SERVER, 0))) {
            oneFailure(where, fault, device, using, server);
            device.arm("", fault);
            oneFailure("", fault, device, using, server); // the same host again
        } finally {
            device.close();
        }
    }

    private static void oneFailure(String where, Fault fault, Throwing device, Rnic using, DiskServer server)
            throws ConnectionException {
        InetSocketAddress address =
                new InetSocketAddress(SERVER, ((InetSocketAddress) server.localAddress()).getPort());
        byte[] data = new byte[4096];
        int failed = fault == Fault.INTERRUPT || where.isEmpty() ? 0 : Status.INTERNAL.field();
        try (SmallHost admin = new SmallHost(using, address, 0, 32)) {
            assertEquals(0, admin.connect(NAME, 0xffff));
            long controller = admin.result();
            admin.enable();
            try (SmallHost io = new SmallHost(using, address, 1, 64)) {
                assertEquals(0, io.connect(NAME, (int) controller));
                device.arm(where, fault);
                int status = switch (where) {
                    case "flush" -> io.flush();
                    case "read", "blocks", "blockBytes", "mayWait" -> io.readStatus(3, data.length);
                    default -> io.write(3, data);
                };
                assertEquals(failed, status, where + " " + fault);
                assertEquals(0, io.write(3, data));
                assertEquals(0, io.flush());
                assertEquals(0, io.readStatus(3, data.length));
            }
        }
    }

    @Test
    void callOfAnAction_thatThrowsAnError_throwsIt_andTheServerContinues() throws IOException {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        try (Rnic serving = Rnic.open();
                DiskServer server = DiskServer.start(serving, target, new InetSocketAddress(SERVER, 0))) {
            for (Fault fault : Fault.values()) {
                server.execute(fault::happen);
            }
            assertThrows(
                    AssertionError.class,
                    () -> server.call(() -> {
                        Fault.ERROR.happen();
                        return 1;
                    }));
            assertEquals(0, server.call(target::openQueues));
        }
    }
}
