package io.verbena.storage.subsystem;

import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.DataPointer;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Connect. A host that connects again from the same address to the same address has given up its earlier association, which ends. From
 * another address, or to another one, the host has two paths, and both associations continue. In both cases the Writes that arrived before
 * the Connect must have ended before the new association begins, or an old Write could overtake a repeated one. Such a Connect waits.
 */
final class Connections {

    private static final int PARAMETER_QUEUE_ID = 0x2a;
    private static final int PARAMETER_QUEUE_SIZE = 0x2c;
    private static final int PARAMETER_CONTROLLER_ID = 0x1_0010;

    private record Waiting(TargetQueue queue, Command command, Subsystem subsystem, HostIdentity host, long sinceNs) {}

    private final StorageTarget target;
    private final SubmissionEntry entry = new SubmissionEntry();
    private final ConnectData data = new ConnectData();
    private List<Waiting> waiting = new ArrayList<>();

    Connections(StorageTarget target) {
        this.target = target;
    }

    /** The capsule of Connect arrived. */
    Status connect(TargetQueue queue, Command command, SubmissionEntry from, int dataBytes, long nowNs) {
        Status pointer = TargetQueue.pointerStatus(from.dataPointer());
        if (queue.controller().isPresent()) {
            return Status.SEQUENCE;
        }
        if (pointer != Status.SUCCESS) {
            return pointer;
        }
        if (from.sglLength() != ConnectData.LENGTH) {
            return Status.SGL_LENGTH;
        }
        if (from.recordFormat() != 0) {
            return Status.CONNECT_FORMAT;
        }
        if (from.queueId() != queue.id()) {
            return invalid(queue, command, PARAMETER_QUEUE_ID);
        }
        if (from.queueSizeMinusOne() == 0 || from.queueSizeMinusOne() >= queue.slots()) {
            return invalid(queue, command, PARAMETER_QUEUE_SIZE);
        }
        Status status = queue.takeData(command, from, dataBytes);
        if (status == Status.SUCCESS && command.pointer() == DataPointer.IN_CAPSULE) {
            return onData(queue, command, nowNs);
        }
        return status;
    }

    private static Status invalid(TargetQueue queue, Command command, int parameter) {
        queue.respond(command, Status.CONNECT_PARAMETER, parameter);
        return Status.SUCCESS;
    }

    /** The data of Connect are there. */
    Status onData(TargetQueue queue, Command command, long nowNs) {
        // Several Connects of one queue may have been fetched at once, and the first of them may wait.
        if (queue.controller().isPresent() || waits(queue)) {
            return Status.SEQUENCE;
        }
        data.wrap(command.data(), command.dataOffset());
        Optional<Subsystem> subsystem = target.subsystem(data.subsystemName());
        if (subsystem.isEmpty()) {
            return invalid(queue, command, ConnectData.WRONG_SUBSYSTEM);
        }
        ByteBuffer id = ByteBuffer.wrap(data.hostId());
        HostIdentity host = new HostIdentity(data.hostName(), new UUID(id.getLong(), id.getLong()));
        if (!host.hasValidName()) {
            return invalid(queue, command, ConnectData.WRONG_HOST_NAME);
        }
        if (!host.hasId()) {
            return invalid(queue, command, ConnectData.WRONG_HOST_ID);
        }
        if (!subsystem.get().allows(host.name())) {
            return Status.CONNECT_HOST;
        }
        if (queue.id() != 0) {
            return joinIo(queue, command, subsystem.get(), host);
        }
        if (data.controllerId() != ConnectData.ANY_CONTROLLER) {
            return invalid(queue, command, PARAMETER_CONTROLLER_ID);
        }
        Waiting connect = new Waiting(queue, command, subsystem.get(), host, nowNs);
        if (!discovery(connect)) {
            target.controllers().of(subsystem.get(), host).stream()
                    .filter(each -> each.path().same(queue.path()))
                    .forEach(Controller::end);
        }
        target.controllers().removeDrained();
        // Each Connect that waits gets the place of one that ends.
        if (target.controllers().full() && target.controllers().ending() <= waiting.size()) {
            target.controllers().makePlaceFor(queue.path().from(), nowNs);
            target.controllers().removeDrained();
        }
        if (mustWait(connect)) {
            queue.waits(command);
            waiting.add(connect);
            return Status.SUCCESS;
        }
        return joinAdmin(connect);
    }

    private static boolean discovery(Waiting connect) {
        return connect.subsystem().name().equals(StorageTarget.DISCOVERY);
    }

    boolean waits(TargetQueue queue) {
        return waiting.stream().anyMatch(each -> each.queue() == queue);
    }

    private boolean mustWait(Waiting connect) {
        if (target.controllers().full() && target.controllers().ending() > 0) {
            return true; // another association gives way, when its work has ended
        }
        return !discovery(connect)
                && target.controllers().of(connect.subsystem(), connect.host()).stream()
                        .anyMatch(each ->
                                each.path().same(connect.queue().path()) || each.changesBlocksSince(connect.sinceNs()));
    }

    boolean anyWaits() {
        return !waiting.isEmpty();
    }

    private Status joinAdmin(Waiting connect) {
        if (target.controllers().full() || !connect.queue().grow()) {
            return Status.CONNECT_BUSY;
        }
        Optional<Controller> controller = target.controllers()
                .create(connect.subsystem(), connect.host(), connect.queue().path(), discovery(connect));
        if (controller.isEmpty()) {
            return Status.CONNECT_BUSY;
        }
        SubmissionEntry from = connect.queue().entryOf(connect.command(), entry);
        controller.get().connected(Integer.toUnsignedLong(from.keepAliveMs()), target.nowNs());
        join(connect.queue(), connect.command(), controller.get());
        return Status.SUCCESS;
    }

    private Status joinIo(TargetQueue queue, Command command, Subsystem subsystem, HostIdentity host) {
        Optional<Controller> found = target.controllers().find(data.controllerId());
        if (found.isEmpty()
                || found.get().state() == ControllerState.ENDED
                || found.get().subsystem() != subsystem
                || !found.get().host().equals(host)) {
            return invalid(queue, command, PARAMETER_CONTROLLER_ID);
        }
        if (!found.get().ready() || found.get().discovery() || found.get().hasQueue(queue.id())) {
            return Status.SEQUENCE;
        }
        if (!queue.grow()) {
            return Status.CONNECT_BUSY;
        }
        join(queue, command, found.get());
        return Status.SUCCESS;
    }

    private void join(TargetQueue queue, Command command, Controller controller) {
        SubmissionEntry from = queue.entryOf(command, entry);
        boolean flowControl = (from.connectAttributes() & SubmissionEntry.NO_FLOW_CONTROL) == 0;
        queue.join(controller, from.queueSizeMinusOne() + 1, flowControl);
        target.joined(queue);
        queue.respond(command, Status.SUCCESS, controller.id());
    }

    void forget(TargetQueue queue) {
        waiting.removeIf(each -> each.queue() == queue);
    }

    /** A host that waits too long gets an answer: Linux notices the end of a connection only after a minute while it connects. */
    void expire(long nowNs) {
        for (Waiting each : List.copyOf(waiting)) {
            if (nowNs - each.sinceNs() - StorageTarget.CONNECT_WITHIN_NS >= 0) {
                waiting.remove(each);
                each.queue().respond(each.command(), Status.CONNECT_BUSY, 0);
            }
        }
    }

    /** Answers the Connects that no longer have to wait. */
    void resume() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Waiting> before = waiting;
        waiting = new ArrayList<>();
        for (Waiting each : before) {
            if (mustWait(each)) {
                waiting.add(each);
            } else {
                resume(each);
            }
        }
    }

    private void resume(Waiting connect) {
        // The subsystem may have been removed, or replaced by another of this name, since the Connect arrived.
        if (!target.has(connect.subsystem())) {
            connect.queue().respond(connect.command(), Status.CONNECT_PARAMETER, ConnectData.WRONG_SUBSYSTEM);
            return;
        }
        Status status = joinAdmin(connect);
        if (status != Status.SUCCESS) {
            connect.queue().respond(connect.command(), status, 0);
        }
    }
}
