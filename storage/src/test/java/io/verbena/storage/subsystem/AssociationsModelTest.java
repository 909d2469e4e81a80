package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.ConnectData;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Hosts that connect, work, vanish at any step and connect again, while namespaces come and go. After each step: an association that was
 * accepted has no predecessor whose commands are on a device; a device that is not in use is on no command. At the end nothing is held.
 */
class AssociationsModelTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final int HOSTS = 3;
    private static final int STEPS = 200;
    private static final int SEEDS = Integer.getInteger("verbena.seeds", 300);
    private static final TargetLimits LIMITS = new TargetLimits(4, 2, 4, 8192, 5);
    private static final int HOST_MEMORY = 4096;

    /** One queue and what its host has seen of it. */
    private static final class Line {
        private final HostScript script;
        private final int host;
        private final int admin;
        private boolean accepted;

        Line(HostScript script, int host, int admin) {
            this.script = script;
            this.host = host;
            this.admin = admin;
        }
    }

    /** One run. */
    private static final class Run {
        private final Random random;
        private final StorageTarget target = new StorageTarget(LIMITS);
        private final Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        private final MemoryDevice[] devices = {new MemoryDevice(65536, 512), new MemoryDevice(65536, 512)};
        private final List<Line> lines = new ArrayList<>();
        private long nowNs;
        private int accepted;

        Run(long seed) {
            random = new Random(seed);
            target.add(subsystem);
            for (int i = 0; i < devices.length; i++) {
                target.put(subsystem, new Namespace(i + 1, devices[i], new UUID(1, i)));
            }
        }

        private Optional<Line> any() {
            return lines.isEmpty() ? Optional.empty() : Optional.of(lines.get(random.nextInt(lines.size())));
        }

        void step() {
            nowNs += random.nextInt(400) * 1_000_000L;
            switch (random.nextInt(16)) {
                case 0, 1, 2 -> openAdmin(random.nextInt(HOSTS));
                case 3, 4 -> any().ifPresent(this::openIo);
                case 5, 6, 7, 8 -> any().ifPresent(this::work);
                case 9, 10 -> any().ifPresent(this::runOne);
                case 11 -> any().ifPresent(line -> line.script.releaseFetches());
                case 12 -> any().ifPresent(this::vanish);
                case 13 -> target.onDeadline(nowNs);
                case 14 -> any().ifPresent(line -> line.script.settle());
                default -> changeNamespace(random.nextInt(devices.length));
            }
            lines.forEach(this::take);
            check();
        }

        private static byte[] request(int queue) {
            byte[] request = new byte[CmRequest.LENGTH];
            CmRequest out = new CmRequest().wrap(MemorySegment.ofArray(request), 0);
            out.queueId(queue).receiveQueueSize(4).sendQueueSizeMinusOne(3);
            return request;
        }

        private void connect(int queue, int host, int admin, int controller) {
            if (target.check(request(queue), "192.0.2.9").isPresent()) {
                return;
            }
            HostScript script = new HostScript(target, queue, 4);
            script.holdDevice = true;
            script.nowNs = nowNs;
            Line line = new Line(script, host, admin < 0 ? lines.size() : admin);
            new ConnectData()
                    .wrap(MemorySegment.ofArray(script.memory), 0)
                    .clear()
                    .hostId(HostScript.HOST_ID)
                    .controllerId(controller)
                    .subsystemName(NAME)
                    .hostName("nqn.2026-01.org.example:host" + host);
            script.send(0, script::connectEntry);
            lines.add(line);
        }

        private void openAdmin(int host) {
            connect(0, host, -1, 0xffff);
        }

        private void openIo(Line line) {
            Optional<Controller> controller = line.script.queue.controller();
            if (line.script.queue.id() == 0 && usable(line) && controller.isPresent()) {
                line.script.send(
                        0,
                        e -> e.opcode(0x7f).fabricsType(0).propertyOffset(0x14).propertyValue(0x460001));
                connect(
                        1 + random.nextInt(2),
                        line.host,
                        lines.indexOf(line),
                        controller.get().id());
            }
        }

        private static boolean usable(Line line) {
            return line.accepted && !line.script.closed && !line.script.queue.closing();
        }

        private void work(Line line) {
            if (!usable(line) || line.script.busySlots() >= 3) {
                return;
            }
            line.script.holdFetch = random.nextBoolean();
            int namespace = 1 + random.nextInt(2);
            int opcode = line.script.queue.id() == 0 ? 0x18 : random.nextInt(3);
            line.script.nowNs = nowNs;
            line.script.send(0, e -> e.opcode(opcode).namespaceId(namespace).keyed(HOST_MEMORY, 512, 9, true));
        }

        private void runOne(Line line) {
            if (!line.script.held.isEmpty()) {
                Command command = line.script.held.remove(random.nextInt(line.script.held.size()));
                line.script.queue.onRun(command, command.runOnDevice());
            }
        }

        private void vanish(Line line) {
            line.script.close();
            line.script.settle();
        }

        private void changeNamespace(int index) {
            if (subsystem.namespace(index + 1).isPresent()) {
                target.remove(subsystem, index + 1);
            } else {
                target.put(subsystem, new Namespace(index + 1, devices[index], new UUID(1, index)));
            }
        }

        /** Takes the answers. The first answer to a queue is that to its Connect. */
        private void take(Line line) {
            while (!line.script.responses.isEmpty()) {
                HostScript.Response response = line.script.responses.remove();
                if (response.commandId() == 0 && response.status() == 0) {
                    line.accepted = true;
                    accepted++;
                    if (line.script.queue.id() == 0) {
                        noWorkOfPredecessors(line);
                    }
                }
            }
        }

        private void noWorkOfPredecessors(Line line) {
            for (int i = 0; i < lines.size(); i++) {
                Line other = lines.get(i);
                if (other != line && other.host == line.host && other.admin < lines.indexOf(line)) {
                    assertTrue(other.script.held.isEmpty(), "work of an older association is under way");
                }
            }
        }

        private void check() {
            for (MemoryDevice device : devices) {
                boolean used = lines.stream()
                        .flatMap(line -> line.script.held.stream())
                        .anyMatch(command -> command.device() == device);
                assertFalse(used && !target.uses(device), "a device that is in use counts as unused");
            }
        }

        void end() {
            lines.forEach(this::vanishOnce);
            lines.forEach(line -> line.script.releaseDevice());
            lines.forEach(line -> line.script.settle());
            assertEquals(List.of(), List.copyOf(target.controllers().all()));
            target.remove(subsystem);
            for (MemoryDevice device : devices) {
                assertFalse(target.uses(device));
                device.close();
            }
            for (int i = 0; i < LIMITS.controllers(); i++) {
                assertEquals(Optional.empty(), target.check(request(0), "192.0.2.9"));
                new HostScript(target, 0, 4);
            }
        }

        private void vanishOnce(Line line) {
            if (!line.script.closed) {
                vanish(line);
            }
        }
    }

    @Test
    void hostsThatVanishAtAnyStep_leaveNothing_andNoWorkOverlaps() {
        int accepted = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(seed);
            try {
                for (int i = 0; i < STEPS; i++) {
                    run.step();
                }
                run.end();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            accepted += run.accepted;
        }
        assertTrue(accepted > 5 * SEEDS, "only " + accepted + " queues were accepted");
    }
}
