package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Memory regions and windows. */
final class MemoryAssertions {

    private static final WindowOptions FOR_DOMAIN = WindowOptions.defaults().withScope(WindowOptions.Scope.DOMAIN);

    private MemoryAssertions() {}

    static final List<Case> ALL = List.of(
            of("test_mr_rereg_addr", "another key; 1 READ SUCCESS", s -> {
                int old = s.b.memory.rkey();
                int renewed = s.b.memory.renewKey();
                return (old == renewed ? "the same key" : "another key") + "; " + read(s, s.b.memory.remote());
            }),
            of("test_mr_rereg_addr, the old key", "1 READ REMOTE_ACCESS", s -> {
                RemoteRegion old = s.b.memory.remote();
                s.b.memory.renewKey();
                return read(s, old);
            }),
            of("test_mr_rereg_access", "1 READ SUCCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(64, AccessRight.REMOTE_READ);
                return read(s, region.remote());
            }),
            of("test_mr_rereg_access_bad_flow", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                return read(s, region.remote());
            }),
            of("test_mr_rereg_pd", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.rnic.allocateProtectionDomain().allocate(64, AccessRight.values());
                return read(s, region.remote());
            }),
            of("test_mr_rereg_atomic", "1 FETCH_AND_ADD SUCCESS; 40 then 42", s -> {
                MemoryRegion region = s.b.pd.allocate(64, AccessRight.REMOTE_ATOMIC);
                region.segment().set(ValueLayout.JAVA_LONG, 0, 40);
                s.connect();
                s.a.qp.postFetchAndAdd(1, s.a.memory, 0, region.address(), region.rkey(), 2, WrFlags.SIGNALLED);
                return s.a.takes(1) + "; " + s.a.memory.segment().get(ValueLayout.JAVA_LONG, 0) + " then "
                        + region.segment().get(ValueLayout.JAVA_LONG, 0);
            }),
            of(
                    "test_reg_mr, memory of the heap",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.register(MemorySegment.ofArray(new byte[8])))),
            of(
                    "test_reg_mr, no memory",
                    "IllegalArgumentException",
                    s -> attempt(
                            () -> s.a.pd.register(Arena.global().allocate(8).asSlice(0, 0)))),
            of("test_reg_mr, memory of a closed arena", "IllegalArgumentException", s -> {
                Arena arena = Arena.ofShared();
                MemorySegment segment = arena.allocate(4096);
                arena.close();
                return attempt(() -> s.a.pd.register(segment, AccessRight.REMOTE_READ));
            }),
            of("test_reg_mr, its arena is closed before the key is renewed", "VerbsException", s -> {
                Arena arena = Arena.ofShared();
                MemoryRegion region = s.closing(s.a.pd.register(arena.allocate(4096), AccessRight.REMOTE_READ));
                arena.close();
                return attempt(region::renewKey);
            }),
            // Rights to write to memory that cannot be written are the flags that a registration refuses.
            of(
                    "test_reg_mr_bad_flags",
                    "[LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC]",
                    s -> answer(() -> refused(s, Arena.global().allocate(64).asReadOnly()))),
            of("test_dereg_mr_twice", "done", s -> {
                MemoryRegion region = s.a.pd.allocate(64);
                region.close();
                return attempt(region::close);
            }),
            of("test_dereg_mr, Read afterwards", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(64, AccessRight.values());
                RemoteRegion remote = region.remote();
                region.close();
                return read(s, remote);
            }),
            of("test_dealloc_pd_busy", "IllegalStateException", s -> attempt(s.a.pd::close)),
            of("test_mw_type1", "5 BIND SUCCESS; 1 READ SUCCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(FOR_DOMAIN);
                return bind(s, window) + "; " + post(s, window.remote());
            }),
            of("test_mw_type1, at once", "1 READ SUCCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(FOR_DOMAIN);
                return read(s, window.bind(s.b.memory, 16, 8, AccessRight.REMOTE_READ));
            }),
            of("test_invalidate_mw_type1", "5 BIND SUCCESS; 6 BIND SUCCESS; 1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow(FOR_DOMAIN);
                String bound = bind(s, window);
                RemoteRegion remote = window.remote();
                s.b.post(s.b.qp.newWorkRequest().unbind(window), 6);
                return bound + "; " + s.b.takes(1) + "; " + post(s, remote);
            }),
            of("test_mw_type2", "5 BIND SUCCESS; 1 READ SUCCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                return bind(s, window) + "; " + post(s, window.remote());
            }),
            of("test_mw_type2, bound again", "5 BIND SUCCESS; 6 BIND SUCCESS; 1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                String bound = bind(s, window);
                RemoteRegion old = window.remote();
                s.b.post(s.b.qp.newWorkRequest().bind(window, s.b.memory, 64, 8, AccessRight.REMOTE_READ), 6);
                return bound + "; " + s.b.takes(1) + "; " + post(s, old);
            }),
            of("test_mw_type2, a right that it does not grant", "5 BIND SUCCESS; 1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                s.connect();
                s.b.post(s.b.qp.newWorkRequest().bind(window, s.b.memory, 16, 8, AccessRight.REMOTE_WRITE), 5);
                return s.b.takes(1) + "; " + post(s, window.remote());
            }),
            of(
                    "test_mw_type2_invalidate_local",
                    "5 BIND SUCCESS; 6 LOCAL_INVALIDATE SUCCESS; bound false; 1 READ REMOTE_ACCESS",
                    s -> {
                        MemoryWindow window = s.b.pd.allocateWindow();
                        String bound = bind(s, window);
                        RemoteRegion remote = window.remote();
                        s.b.post(s.b.qp.newWorkRequest().localInvalidate(window.rkey()), 6);
                        return bound + "; " + s.b.takes(1) + "; bound " + window.bound() + "; " + post(s, remote);
                    }),
            of(
                    "test_mw_type2_invalidate_remote",
                    "5 BIND SUCCESS; 9 RECEIVE SUCCESS true; bound false; 2 SEND SUCCESS, 1 READ REMOTE_ACCESS",
                    s -> {
                        MemoryWindow window = s.b.pd.allocateWindow();
                        s.b.receive(9, 8);
                        String bound = bind(s, window);
                        RemoteRegion remote = window.remote();
                        s.a.post(
                                s.a.qp
                                        .newWorkRequest()
                                        .sendWithInvalidate(window.rkey())
                                        .gather(s.a.memory, 0, 8),
                                2);
                        String received = s.b.takes(1) + " " + s.b.cursor.hasInvalidatedKey();
                        String now = "; bound " + window.bound() + "; ";
                        s.a.qp.postRead(1, s.a.memory, 0, 8, remote, 0, WrFlags.SIGNALLED);
                        return bound + "; " + received + now + s.a.takes(2);
                    }),
            of("test_mw_type2_dealloc", "5 BIND SUCCESS; 1 READ REMOTE_ACCESS", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                String bound = bind(s, window);
                RemoteRegion remote = window.remote();
                window.close();
                return bound + "; " + post(s, remote);
            }),
            of("test_mw_type2, the queue pair closes", "5 BIND SUCCESS; done", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                return bind(s, window) + "; " + attempt(s.b.qp::close);
            }),
            of("test_mw_type2, the region closes", "5 BIND SUCCESS; done; bound false", s -> {
                MemoryWindow window = s.b.pd.allocateWindow();
                String bound = bind(s, window);
                return bound + "; " + attempt(s.b.memory::close) + "; bound " + window.bound();
            }),
            of(
                    "test_reg_mw_wrong_type",
                    "IllegalStateException",
                    s -> attempt(() -> s.b.pd.allocateWindow().bind(s.b.memory, 0, 8, AccessRight.REMOTE_READ))));

    /** Connects, and binds a window of B by work. */
    private static String bind(Scene s, MemoryWindow window) throws Exception {
        s.connect();
        s.b.post(s.b.qp.newWorkRequest().bind(window, s.b.memory, 16, 8, AccessRight.REMOTE_READ), 5);
        return s.b.takes(1);
    }

    /** The rights with which memory cannot be registered. */
    private static List<AccessRight> refused(Scene s, MemorySegment segment) {
        List<AccessRight> refused = new ArrayList<>();
        for (AccessRight right : AccessRight.values()) {
            if (attempt(() -> s.closing(s.a.pd.register(segment, right))).equals("IllegalArgumentException")) {
                refused.add(right);
            }
        }
        return refused;
    }

    private static String read(Scene s, RemoteRegion remote) throws Exception {
        s.connect();
        return post(s, remote);
    }

    private static String post(Scene s, RemoteRegion remote) {
        s.a.qp.postRead(1, s.a.memory, 0, 8, remote, 0, WrFlags.SIGNALLED);
        return s.a.takes(1);
    }
}
