package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.util.List;

/** Memory windows: binds, scopes, invalidation by local work and by the peer. */
final class WindowCases {

    private static final WindowOptions SHARED = WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN);

    private WindowCases() {}

    static final List<Case> ALL = List.of(
            of("Read through a window", "1 READ SUCCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(SHARED);
                RemoteRegion bound = window.bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ);
                return read(s, bound);
            }),
            of("Read through a window after its unbind", "1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(SHARED);
                RemoteRegion bound = window.bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ);
                window.unbind();
                return read(s, bound);
            }),
            of("Read through a window that was bound again", "1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(SHARED);
                RemoteRegion bound = window.bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ);
                window.bind(s.b.memory, 0, 8, AccessRight.REMOTE_READ);
                return read(s, bound);
            }),
            of("Read through a closed window", "1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(SHARED);
                RemoteRegion bound = window.bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ);
                window.close();
                return read(s, bound);
            }),
            of("Read beyond a window", "1 READ REMOTE_ACCESS", s -> {
                RemoteRegion bound = s.b.pd.allocateWindow(SHARED).bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ);
                return read(s, new RemoteRegion(bound.address() + 4, 8, bound.rkey()));
            }),
            of("Read through a window for writes", "1 READ REMOTE_ACCESS", s -> {
                return read(s, s.b.pd.allocateWindow(SHARED).bind(s.b.memory, 16, 8, AccessRight.REMOTE_WRITE));
            }),
            of(
                    "bind beyond a region",
                    "IllegalArgumentException",
                    s -> attempt(() ->
                            s.a.pd.allocateWindow(SHARED).bind(s.a.memory, 1, Side.BYTES, AccessRight.REMOTE_READ))),
            of(
                    "bind to no bytes",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.allocateWindow(SHARED).bind(s.a.memory, 0, 0, AccessRight.REMOTE_READ))),
            of(
                    "bind to a region that does not permit it",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd
                            .allocateWindow(SHARED)
                            .bind(s.a.pd.allocate(8, AccessRight.REMOTE_READ), 0, 8, AccessRight.REMOTE_READ))),
            of(
                    "bind with a right that the region does not have",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd
                            .allocateWindow(SHARED)
                            .bind(s.a.pd.allocate(8, AccessRight.BIND), 0, 8, AccessRight.REMOTE_WRITE))),
            of(
                    "bind to a region of another domain",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.rnic
                            .allocateProtectionDomain()
                            .allocateWindow(SHARED)
                            .bind(s.a.memory, 0, 8, AccessRight.REMOTE_READ))),
            of(
                    "bind a window of a queue pair at once",
                    "IllegalStateException",
                    s -> attempt(() -> s.a.pd
                            .allocateWindow(WindowOptions.defaults().withScope(WindowOptions.Scope.QUEUE_PAIR))
                            .bind(s.a.memory, 0, 8, AccessRight.REMOTE_READ))),
            of("bind a closed window", "IllegalStateException", s -> {
                MemoryWindow window = s.a.pd.allocateWindow(SHARED);
                window.close();
                return attempt(() -> window.bind(s.a.memory, 0, 8, AccessRight.REMOTE_READ));
            }),
            of(
                    "the remote region of an unbound window",
                    "done",
                    s -> attempt(() -> s.a.pd.allocateWindow(SHARED).remote())),
            of("close a region to which a window is bound", "done, bound false", s -> {
                MemoryRegion region = s.a.pd.allocate(8, AccessRight.BIND, AccessRight.REMOTE_READ);
                MemoryWindow window = s.a.pd.allocateWindow(SHARED);
                window.bind(region, 0, 8, AccessRight.REMOTE_READ);
                return attempt(region::close) + ", bound " + window.bound();
            }),
            of("a posted bind", "1 BIND SUCCESS, bound true", s -> {
                s.connect();
                MemoryWindow window = s.a.pd.allocateWindow(SHARED);
                s.a.post(s.a.qp.newWorkRequest().bind(window, s.a.memory, 0, 8, AccessRight.REMOTE_READ), 1);
                return s.a.takes(1) + ", bound " + window.bound();
            }),
            of("a posted unbind", "1 BIND SUCCESS, bound false", s -> {
                s.connect();
                MemoryWindow window = s.a.pd.allocateWindow(SHARED);
                window.bind(s.a.memory, 0, 8, AccessRight.REMOTE_READ);
                s.a.post(s.a.qp.newWorkRequest().unbind(window), 1);
                return s.a.takes(1) + ", bound " + window.bound();
            }),
            of("a posted bind to a region that does not permit it", "1 BIND BIND_FAILED; FAILED and FAILED", s -> {
                s.connect();
                MemoryRegion region = s.a.pd.allocate(8, AccessRight.REMOTE_READ);
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .bind(s.a.pd.allocateWindow(SHARED), region, 0, 8, AccessRight.REMOTE_READ),
                        1);
                return s.a.takes(1) + "; " + s.ends();
            }),
            of("a posted bind of a window of another domain", "IllegalArgumentException", s -> {
                WorkRequest request = s.a.qp.newWorkRequest();
                MemoryWindow window = s.a.rnic.allocateProtectionDomain().allocateWindow(SHARED);
                return attempt(() -> request.bind(window, s.a.memory, 0, 8, AccessRight.REMOTE_READ));
            }),
            of("a local invalidate of the key of a region", "1 LOCAL_INVALIDATE SUCCESS, valid false", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().localInvalidate(s.a.memory.rkey()), 1);
                return s.a.takes(1) + ", valid " + s.a.memory.valid();
            }),
            of(
                    "a local invalidate of an unknown key",
                    "1 LOCAL_INVALIDATE LOCAL_OPERATION, 2 SEND FLUSHED; FAILED and FAILED",
                    s -> {
                        s.connect();
                        s.a.post(s.a.qp.newWorkRequest().localInvalidate(5), 1);
                        s.a.send(2, 8);
                        return s.a.takes(2) + "; " + s.ends();
                    }),
            of(
                    "Send with invalidate of the key of a region",
                    "1 SEND SUCCESS; peer 9 RECEIVE SUCCESS, invalidated true",
                    s -> {
                        s.connect();
                        s.b.receive(9, 8);
                        s.a.post(
                                s.a.qp
                                        .newWorkRequest()
                                        .sendWithInvalidate(s.b.memory.rkey())
                                        .gather(s.a.memory, 0, 8),
                                1);
                        return s.a.takes(1) + "; peer " + s.b.takes(1) + ", invalidated "
                                + s.b.cursor.hasInvalidatedKey();
                    }),
            of("Send with invalidate of an unknown key", "peer 9 RECEIVE FLUSHED; FAILED and FAILED", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.post(s.a.qp.newWorkRequest().sendWithInvalidate(5).gather(s.a.memory, 0, 8), 1);
                return "peer " + s.b.takes(1) + "; " + s.ends();
            }),
            of("Send with invalidate of a window", "peer 9 RECEIVE FLUSHED, bound true", s -> {
                s.connect();
                s.b.receive(9, 8);
                MemoryWindow window = s.b.pd.allocateWindow(SHARED);
                window.bind(s.b.memory, 0, 8, AccessRight.REMOTE_READ);
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .sendWithInvalidate(window.rkey())
                                .gather(s.a.memory, 0, 8),
                        1);
                return "peer " + s.b.takes(1) + ", bound " + window.bound();
            }),
            of("Read with invalidate", "1 READ SUCCESS, key 0", s -> {
                s.connect();
                MemoryRegion region = s.a.pd.allocate(8, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .readWithInvalidate(s.b.memory.address(), s.b.memory.rkey(), region.rkey())
                                .scatter(region, 0, 8),
                        1);
                return s.a.takes(1) + ", key " + region.rkey();
            }));

    private static String read(Scene s, RemoteRegion remote) throws Exception {
        s.connect();
        s.a.qp.postRead(1, s.a.memory, 0, 8, remote, 0, WrFlags.SIGNALLED);
        return s.a.takes(1);
    }
}
