package io.verbena.storage.client;

import io.verbena.storage.host.BlockCommand;
import io.verbena.storage.host.HostMemory;
import io.verbena.storage.host.PageUse;
import io.verbena.storage.host.StorageHost;
import io.verbena.storage.host.SubmissionQueue;
import io.verbena.storage.wire.CmReject;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.RejectReason;
import io.verbena.storage.wire.SubmissionEntry;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/**
 * One queue of a host over the verbs: its memory, which lasts as long as the client, and the connection of the moment. All calls come from
 * the thread that drives the host.
 */
final class DiskQueue {
    private final QueueOwner owner;
    private final TargetPath path;
    private final DiskMemories memories;
    private final int depth;
    private final MemoryRegion capsules;
    private final MemoryRegion responses;
    private final MemoryRegion page;
    private final CompletionEntry response = new CompletionEntry();
    private Optional<SubmissionQueue> queue = Optional.empty();
    private Optional<QueueConnection> connection = Optional.empty();

    DiskQueue(QueueOwner owner, TargetPath path, DiskMemories memories, int depth) {
        this.owner = owner;
        this.path = path;
        this.memories = memories;
        this.depth = depth;
        ProtectionDomain domain = path.domain();
        capsules = domain.allocate((long) depth * SubmissionEntry.LENGTH, AccessRight.LOCAL_WRITE);
        responses = domain.allocate((long) (depth + 1) * CompletionEntry.LENGTH, AccessRight.LOCAL_WRITE);
        page = domain.allocate(
                StorageHost.pageBytes(depth),
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE);
    }

    HostMemory memory() {
        return new HostMemory(capsules.segment(), page.segment());
    }

    MemoryRegion capsules() {
        return capsules;
    }

    MemoryRegion responses() {
        return responses;
    }

    MemoryRegion page() {
        return page;
    }

    private SubmissionQueue queue() {
        return queue.orElseThrow();
    }

    // ---- The connection

    void connect(SubmissionQueue of, Duration timeout) {
        queue = Optional.of(of);
        page.renewKey();
        byte[] request = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(request), 0)
                .queueId(of.id())
                .receiveQueueSize(of.entries())
                .sendQueueSizeMinusOne(of.entries() - 1);
        QueueConnection queueConnection = new QueueConnection(owner, path, this, of.entries());
        connection = Optional.of(queueConnection);
        queueConnection.start(request, timeout);
    }

    /** The state of a connection has changed, which may be an earlier one. */
    void onState(QueueConnection of, Connection changed, ConnectionState state) {
        if (connection.isEmpty() || connection.get() != of) {
            return;
        }
        if (state == ConnectionState.ESTABLISHED) {
            owner.host().onConnected(queue(), owner.nowNs());
        } else if (state == ConnectionState.CLOSING || state.ended()) {
            lost(reason(changed, state));
        }
    }

    private String reason(Connection changed, ConnectionState state) {
        String what =
                "The connection of queue " + queue().id() + " to " + path.server() + " ended. " + changed.reason();
        byte[] data = changed.privateData();
        if (state == ConnectionState.REJECTED && CmReject.fits(data.length)) {
            int code = new CmReject().wrap(MemorySegment.ofArray(data), 0).reason();
            what += " The target states the reason " + RejectReason.describe(code) + ".";
        }
        return what;
    }

    void lost(String why) {
        owner.host().onLost(queue(), why, owner.nowNs());
    }

    /** Ends the connection. Afterwards no transfer touches the memory. */
    void tearDown(boolean inOrder) {
        connection.ifPresent(each -> each.close(inOrder));
        connection = Optional.empty();
        owner.host().onClosed(queue(), owner.nowNs());
    }

    /** After an error of the driver, a connection may be left. */
    void abandon() {
        connection.ifPresent(each -> each.close(false));
        connection = Optional.empty();
    }

    boolean poll() {
        return connection.isPresent() && connection.get().poll();
    }

    void ring() {
        if (connection.isPresent()) {
            connection.get().ring();
        }
    }

    // ---- Answers

    int slotOfResponse(int receive) {
        response.wrap(responses.segment(), (long) receive * CompletionEntry.LENGTH);
        return queue().slot(response.commandId());
    }

    void onResponse(int receive, int lengthBytes) {
        response.wrap(responses.segment(), (long) receive * CompletionEntry.LENGTH);
        owner.host().onResponse(queue(), response, lengthBytes, owner.nowNs());
    }

    // ---- Commands

    void sendAdmin(SubmissionQueue of, int slot, PageUse use) {
        SubmissionEntry entry = of.entry(slot);
        if (use.lengthBytes() > 0) {
            entry.keyed(page.address(), use.lengthBytes(), page.rkey(), false);
        } else {
            entry.keyed(0, 0, 0, false);
        }
        connection.orElseThrow().sendCapsule(slot);
    }

    void send(SubmissionQueue of, int slot, BlockCommand command) {
        SubmissionEntry entry = of.entry(slot);
        QueueConnection to = connection.orElseThrow();
        if (command.hasRange()) {
            long offset = StorageHost.rangeOffset(slot);
            entry.keyed(page.address() + offset, DeallocateRange.LENGTH, page.rkey(), false);
            to.sendCapsule(slot);
        } else if (!command.hasData()) {
            entry.keyed(0, 0, 0, false);
            to.sendCapsule(slot);
        } else if (command.inCapsule()) {
            entry.inCapsule(0, command.lengthBytes());
            to.sendWithData(slot, memories.region(command), command.offset(), command.lengthBytes());
        } else if (path.keys() == KeyUse.PER_COMMAND) {
            to.sendWithWindow(entry, slot, memories.region(command), command);
        } else {
            MemoryRegion data = memories.region(command);
            entry.keyed(data.address() + command.offset(), command.lengthBytes(), data.rkey(), false);
            to.sendCapsule(slot);
        }
    }

    void close() {
        capsules.close();
        responses.close();
        page.close();
    }

    int depth() {
        return depth;
    }
}
