package io.verbena.storage.subsystem;

import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.FabricsType;
import io.verbena.storage.wire.Feature;
import io.verbena.storage.wire.Registers;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The commands of an admin queue. */
final class AdminCommands {
    private static final int VERSION = 0x1_0300;
    private static final int READY_WITHIN_500_MS = 15;

    private final StorageTarget target;
    private final TargetQueue queue;
    private final IdentifyPages identify;
    private final LogPages logs;
    private Optional<Shutdown> shutdown = Optional.empty();

    AdminCommands(StorageTarget target, TargetQueue queue) {
        this.target = target;
        this.queue = queue;
        this.identify = new IdentifyPages(target.limits(), VERSION);
        this.logs = new LogPages(target, queue);
    }

    Status execute(Command command, SubmissionEntry entry, int dataBytes, long nowNs) {
        AdminOpcode opcode = AdminOpcode.of(entry.opcode());
        if (opcode == AdminOpcode.FABRICS && FabricsType.of(entry.fabricsType()) == FabricsType.CONNECT) {
            return target.connections().connect(queue, command, entry, dataBytes, nowNs);
        }
        if (queue.controller().isEmpty()) {
            return Status.SEQUENCE;
        }
        Controller controller = queue.controller().get();
        if (controller.discovery()) {
            controller.signOfLife(nowNs);
        }
        if (opcode == AdminOpcode.FABRICS) {
            return switch (FabricsType.of(entry.fabricsType())) {
                case PROPERTY_GET -> propertyGet(command, entry, controller);
                case PROPERTY_SET -> propertySet(command, entry, controller);
                case CONNECT, UNKNOWN -> Status.INVALID_OPCODE;
            };
        }
        if (opcode == AdminOpcode.KEEP_ALIVE) {
            // A host that gets an error here stops sending them.
            controller.signOfLife(nowNs);
            queue.respond(command, Status.SUCCESS, 0);
            return Status.SUCCESS;
        }
        if (!controller.ready()) {
            return Status.SEQUENCE;
        }
        return switch (opcode) {
            case IDENTIFY -> identify(command, entry, controller);
            case GET_LOG_PAGE -> logs.read(command, entry, controller);
            case SET_FEATURES -> setFeature(command, entry, controller, nowNs);
            case GET_FEATURES -> getFeature(command, entry, controller);
            case ABORT -> abort(command, entry, controller);
            case ASYNC_EVENT_REQUEST -> controller.requestEvent(command);
            case KEEP_ALIVE, FABRICS, UNKNOWN -> Status.INVALID_OPCODE;
        };
    }

    private Status answer(Command command, long result) {
        queue.respond(command, Status.SUCCESS, result);
        return Status.SUCCESS;
    }

    /** A flush of a shutdown ended. A reset and another shutdown may have followed; then the older one has no effect. */
    void onFlushed(Command command, Status status) {
        if (shutdown.isPresent() && shutdown.get().isOf(command)) {
            shutdown.get().onFlushed(status);
        } else {
            answer(command, 0);
        }
    }

    private Status propertyGet(Command command, SubmissionEntry entry, Controller controller) {
        boolean eightBytes = (entry.propertyAttributes() & 7) == 1;
        if ((entry.propertyAttributes() & 7) > 1 || eightBytes != (entry.propertyOffset() == Registers.CAP)) {
            return Status.INVALID_FIELD;
        }
        int entries = controller.discovery()
                ? TargetLimits.ADMIN_ENTRIES
                : target.limits().queueEntries();
        return switch (entry.propertyOffset()) {
            case Registers.CAP -> answer(command, Registers.capabilities(entries, READY_WITHIN_500_MS));
            case Registers.VS -> answer(command, VERSION);
            case Registers.CC -> answer(command, Integer.toUnsignedLong(controller.configuration()));
            case Registers.CSTS -> answer(command, controller.status());
            default -> Status.INVALID_FIELD;
        };
    }

    private Status propertySet(Command command, SubmissionEntry entry, Controller controller) {
        if ((entry.propertyAttributes() & 7) != 0 || entry.propertyOffset() != Registers.CC) {
            return Status.INVALID_FIELD;
        }
        boolean shuttingDown = controller.state() == ControllerState.SHUTTING_DOWN;
        controller.configure((int) entry.propertyValue());
        if (shuttingDown || controller.state() != ControllerState.SHUTTING_DOWN) {
            return answer(command, 0);
        }
        Shutdown begun = new Shutdown(queue, controller, command);
        shutdown = Optional.of(begun);
        begun.proceed();
        return Status.SUCCESS;
    }

    private Status identify(Command command, SubmissionEntry entry, Controller controller) {
        Status pointer = TargetQueue.pointerStatus(command.pointer());
        if (pointer != Status.SUCCESS) {
            return pointer;
        }
        if (entry.sglLength() != IdentifyPages.LENGTH) {
            return Status.SGL_LENGTH;
        }
        if (!command.pointer().keyed()) {
            return Status.INVALID_FIELD;
        }
        MemorySegment page = command.buffer().asSlice(0, IdentifyPages.LENGTH);
        Status status;
        try {
            status = identify.write(page, entry, controller);
        } catch (RuntimeException | Error e) {
            status = queue.failed(e); // a device did not describe itself
        }
        if (status == Status.SUCCESS) {
            queue.respondWithData(command, IdentifyPages.LENGTH);
        }
        return status;
    }

    private Status setFeature(Command command, SubmissionEntry entry, Controller controller, long nowNs) {
        return switch (Feature.of(entry.cdw10() & 0xff)) {
            case QUEUES -> setQueues(command, entry.cdw11(), controller);
            case EVENTS -> {
                queue.respond(command, Status.SUCCESS, 0);
                controller.events(entry.cdw11());
                yield Status.SUCCESS;
            }
            case KEEP_ALIVE -> {
                controller.keepAlive(Integer.toUnsignedLong(entry.cdw11()), nowNs);
                yield answer(command, 0);
            }
            case VOLATILE_WRITE_CACHE -> {
                if (!controller.subsystem().writeCache()) {
                    yield Status.INVALID_FIELD; // there is no cache that could be switched
                }
                controller.writeCache((entry.cdw11() & 1) != 0);
                yield answer(command, 0);
            }
            case UNKNOWN -> Status.INVALID_FIELD;
        };
    }

    private Status setQueues(Command command, int wanted, Controller controller) {
        if (controller.discovery() || (wanted & 0xffff) == 0xffff || wanted >>> 16 == 0xffff) {
            return Status.INVALID_FIELD;
        }
        return answer(command, queues());
    }

    private long queues() {
        int minusOne = target.grantedQueues() - 1;
        return minusOne | (long) minusOne << 16;
    }

    private Status getFeature(Command command, SubmissionEntry entry, Controller controller) {
        if ((entry.cdw10() >>> 8 & 7) != 0) {
            return Status.INVALID_FIELD; // only current values are kept
        }
        return switch (Feature.of(entry.cdw10() & 0xff)) {
            case QUEUES -> answer(command, queues());
            case EVENTS -> answer(command, Integer.toUnsignedLong(controller.events()));
            case KEEP_ALIVE -> answer(command, controller.keepAliveMs());
            case VOLATILE_WRITE_CACHE ->
                controller.subsystem().writeCache()
                        ? answer(command, controller.writeCache() ? 1 : 0)
                        : Status.INVALID_FIELD;
            case UNKNOWN -> Status.INVALID_FIELD;
        };
    }

    /** Only waiting event requests are worth ending: everything else ends soon. Result bit 0: nothing was aborted. */
    private Status abort(Command command, SubmissionEntry entry, Controller controller) {
        boolean ended = (entry.cdw10() & 0xffff) == 0 && controller.abortEventRequest(entry.cdw10() >>> 16);
        return answer(command, ended ? 0 : 1);
    }
}
