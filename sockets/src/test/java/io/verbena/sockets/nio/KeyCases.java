package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;
import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Cases about selectors and keys. */
final class KeyCases {

    private KeyCases() {}

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        registering(cases);
        selecting(cases);
        cancelling(cases);
        waking(cases);
        foreign(cases);
        return cases;
    }

    private static SocketChannel nonBlocking(SocketChannel channel) throws Exception {
        channel.configureBlocking(false);
        return channel;
    }

    /** Another thread adds the operations while this one selects, as soon as it has taken them away. */
    private static String awaitChanges(Stage s, Selector selector, SelectionKey key, int ops) throws Exception {
        int changes = 20_000;
        AtomicInteger reported = new AtomicInteger();
        s.submit(() -> {
            for (int i = 0; i < changes; i++) {
                while (reported.get() < i) {
                    Thread.onSpinWait();
                }
                key.interestOps(ops);
                selector.wakeup();
            }
            return changes;
        });
        long lastNs = System.nanoTime();
        while (reported.get() < changes) {
            selector.select(1_000);
            long nowNs = System.nanoTime();
            if (selector.selectedKeys().remove(key)) {
                key.interestOps(0);
                reported.incrementAndGet();
                lastNs = nowNs;
            } else if (nowNs - lastNs > 3_000_000_000L) {
                return "a change was not reported";
            }
        }
        return "all were reported";
    }

    private static void registering(Map<String, Stage.Body> cases) {
        cases.put("register_blocking", s -> s.pair().client().register(s.selector(), OP_READ));
        cases.put("register_wrongOps", s -> nonBlocking(s.pair().client()).register(s.selector(), OP_ACCEPT));
        cases.put("register_closedChannel", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            c.close();
            return c.register(s.selector(), OP_READ);
        });
        cases.put("register_closedSelector", s -> {
            Selector selector = s.selector();
            selector.close();
            return nonBlocking(s.pair().client()).register(selector, OP_READ);
        });
        cases.put("register_state", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            Selector selector = s.selector();
            SelectionKey key = c.register(selector, OP_READ, "att");
            return List.of(
                    key.isValid(),
                    key.interestOps(),
                    key.readyOps(),
                    key.attachment(),
                    key.channel() == c,
                    key.selector() == selector,
                    c.isRegistered(),
                    c.keyFor(selector) == key,
                    selector.keys().size());
        });
        cases.put("register_again_sameKey", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            Selector selector = s.selector();
            SelectionKey key = c.register(selector, OP_READ, "att");
            return List.of(c.register(selector, OP_WRITE, "other") == key, key.interestOps(), key.attachment());
        });
        cases.put("register_twoSelectors", s -> {
            Stage.Pair pair = s.pair();
            SocketChannel c = nonBlocking(pair.client());
            Selector one = s.selector();
            Selector two = s.selector();
            SelectionKey first = c.register(one, OP_READ);
            SelectionKey second = c.register(two, OP_READ | OP_WRITE);
            pair.server().write(Stage.text("x"));
            return List.of(
                    Stage.await(one, first, OP_READ),
                    Stage.await(two, second, OP_READ),
                    Stage.await(two, second, OP_WRITE));
        });
        cases.put("configureBlocking_registered", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            c.register(s.selector(), OP_READ);
            return c.configureBlocking(true);
        });
        cases.put(
                "interestOps_wrong",
                s -> nonBlocking(s.pair().client()).register(s.selector(), 0).interestOps(OP_ACCEPT));
        cases.put("interestOps_orAnd", s -> {
            SelectionKey key = nonBlocking(s.pair().client()).register(s.selector(), OP_READ);
            return List.of(key.interestOpsOr(OP_WRITE), key.interestOpsAnd(OP_WRITE), key.interestOps());
        });
        cases.put("keys_cannotBeChanged", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, OP_READ);
            return tryOut(() -> selector.keys().remove(key))
                    + tryOut(() -> selector.selectedKeys().add(key));
        });
    }

    private static void selecting(Map<String, Stage.Body> cases) {
        cases.put("selectNow_noKeys", s -> s.selector().selectNow());
        cases.put("select_negative", s -> s.selector().select(-1));
        cases.put("select_closed", s -> {
            Selector selector = s.selector();
            selector.close();
            return tryOut(selector::select)
                    + tryOut(selector::keys)
                    + tryOut(selector::selectedKeys)
                    + tryOut(() -> selector.wakeup() == selector);
        });
        cases.put("select_writable", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, OP_WRITE | OP_READ);
            return List.of(selector.select(5_000), selector.selectedKeys().contains(key), key.readyOps());
        });
        cases.put("select_again_keyStillSelected_0", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            return List.of(
                    selector.select(),
                    selector.select(),
                    selector.selectedKeys().size());
        });
        cases.put("select_again_keyRemoved_1", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            int first = selector.select();
            selector.selectedKeys().clear();
            return List.of(first, selector.select());
        });
        cases.put("select_readableThenRead_notReadable", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(pair.client()).register(selector, OP_READ);
            pair.server().write(Stage.text("x"));
            int first = Stage.await(selector, key, OP_READ);
            pair.client().read(ByteBuffer.allocate(10));
            selector.selectedKeys().clear();
            return List.of(first, selector.selectNow());
        });
        cases.put("select_partlyRead_stillReadable", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(pair.client()).register(selector, OP_READ);
            pair.server().write(Stage.text("xy"));
            int first = Stage.await(selector, key, OP_READ);
            pair.client().read(ByteBuffer.allocate(1));
            selector.selectedKeys().clear();
            return List.of(first, selector.selectNow());
        });
        cases.put("select_peerCloses_readable", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(pair.client()).register(selector, OP_READ);
            pair.server().close();
            return List.of(Stage.await(selector, key, OP_READ), pair.client().read(ByteBuffer.allocate(1)));
        });
        cases.put("select_shutdownInput_readable", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(pair.client()).register(selector, OP_READ);
            pair.client().shutdownInput();
            return Stage.await(selector, key, OP_READ);
        });
        cases.put("select_fullThenDrained_writable", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            SocketChannel c = nonBlocking(pair.client());
            SelectionKey key = c.register(selector, OP_WRITE);
            long written = 0;
            for (int zeros = 0; zeros < 50; ) {
                int bytes = c.write(ByteBuffer.allocate(50_000));
                written += bytes;
                zeros = bytes == 0 ? zeros + 1 : 0;
            }
            long all = written;
            var drained = s.submit(() -> Stage.read(pair.server(), (int) all).length() == all);
            return List.of(drained.get(), Stage.await(selector, key, OP_WRITE));
        });
        cases.put("select_consumer", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            List<Integer> seen = new ArrayList<>();
            int count = selector.select(each -> seen.add(each == key ? each.readyOps() : -1));
            return List.of(count, seen, selector.selectedKeys().size());
        });
        cases.put("select_consumerThrows", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            return tryOut(() -> selector.select(_ -> {
                        throw new IllegalArgumentException();
                    }))
                    + selector.selectNow(_ -> {});
        });
        cases.put("select_consumerThrows_othersAreFoundEachTime", s -> {
            Selector selector = s.selector();
            for (SocketChannel c :
                    List.of(s.pair().client(), s.pair().server(), s.pair().client())) {
                nonBlocking(c).register(selector, OP_WRITE);
            }
            List<Integer> found = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                tryOut(() -> selector.select(_ -> {
                    throw new IllegalArgumentException();
                }));
                found.add(selector.selectNow(_ -> {}));
            }
            return found;
        });
        cases.put("select_insideConsumer", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            return selector.select(_ -> {
                try {
                    selector.selectNow();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
        });
        cases.put("select_timeoutExpires", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_READ);
            return selector.select(30);
        });
        cases.put("select_interestZero_nothing", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            nonBlocking(pair.client()).register(selector, 0);
            pair.server().write(Stage.text("x"));
            return selector.select(50);
        });
        cases.put("select_interestRemoved_nothing", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            selector.select();
            selector.selectedKeys().clear();
            key.interestOps(OP_READ);
            return selector.selectNow();
        });
    }

    private static void cancelling(Map<String, Stage.Body> cases) {
        cases.put("cancel_state", s -> {
            Selector selector = s.selector();
            SocketChannel c = nonBlocking(s.pair().client());
            SelectionKey key = c.register(selector, OP_READ);
            key.cancel();
            String before = key.isValid() + " " + selector.keys().size() + c.isRegistered();
            selector.selectNow();
            return before + " " + selector.keys().size() + c.isRegistered() + tryOut(key::interestOps)
                    + tryOut(key::readyOps) + tryOut(() -> key.interestOps(0));
        });
        cases.put("cancel_configureBlocking_withoutSelect", s -> {
            Stage.Pair pair = s.pair();
            SocketChannel c = nonBlocking(pair.client());
            Selector selector = s.selector();
            SelectionKey key = c.register(selector, OP_READ);
            selector.selectNow();
            key.cancel();
            c.configureBlocking(true);
            pair.server().write(Stage.text("x"));
            return Stage.read(c, 1);
        });
        cases.put("cancel_configureBlocking_serverSide", s -> {
            Stage.Pair pair = s.pair();
            SocketChannel c = nonBlocking(pair.server());
            Selector selector = s.selector();
            SelectionKey key = c.register(selector, OP_READ);
            selector.selectNow();
            key.cancel();
            c.configureBlocking(true);
            pair.client().write(Stage.text("x"));
            return Stage.read(c, 1);
        });
        cases.put("cancel_registerAgain_withoutSelect", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            Selector selector = s.selector();
            c.register(selector, OP_READ).cancel();
            return c.register(selector, OP_WRITE);
        });
        cases.put("cancel_select_registerAgain", s -> {
            SocketChannel c = nonBlocking(s.pair().client());
            Selector selector = s.selector();
            c.register(selector, OP_READ).cancel();
            selector.selectNow();
            SelectionKey key = c.register(selector, OP_WRITE);
            return List.of(selector.select(5_000), key.readyOps());
        });
        cases.put("cancel_selectedKeyIsForgotten", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            selector.select();
            key.cancel();
            selector.selectNow();
            return selector.selectedKeys().size();
        });
        cases.put("closeChannel_keyIsInvalidAndForgotten", s -> {
            Selector selector = s.selector();
            SocketChannel c = nonBlocking(s.pair().client());
            SelectionKey key = c.register(selector, OP_READ);
            c.close();
            boolean valid = key.isValid();
            selector.selectNow();
            return List.of(valid, selector.keys().size(), c.isRegistered());
        });
        cases.put("closeSelector_keysAreInvalid", s -> {
            Selector selector = s.selector();
            SocketChannel c = nonBlocking(s.pair().client());
            SelectionKey key = c.register(selector, OP_READ);
            selector.close();
            return List.of(key.isValid(), c.isRegistered(), c.isOpen(), selector.isOpen());
        });
        cases.put("cancel_insideConsumer", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_WRITE);
            return selector.select(SelectionKey::cancel) + " " + selector.keys().size();
        });
        cases.put("moves_betweenSelectors", s -> {
            Stage.Pair pair = s.pair();
            SocketChannel c = nonBlocking(pair.client());
            int found = 0;
            for (int i = 0; i < 5; i++) {
                Selector selector = s.selector();
                SelectionKey key = c.register(selector, OP_READ);
                pair.server().write(Stage.text("x"));
                found += Stage.await(selector, key, OP_READ);
                c.read(ByteBuffer.allocate(1));
                key.cancel();
                selector.selectNow();
            }
            return found;
        });
    }

    private static void waking(Map<String, Stage.Body> cases) {
        cases.put("interest_changedByAnotherThread_isReportedEachTime", s -> {
            Selector selector = s.selector();
            SelectionKey key = nonBlocking(s.pair().client()).register(selector, 0);
            return awaitChanges(s, selector, key, OP_WRITE);
        });
        cases.put("interest_ofPipe_changedByAnotherThread_isReportedEachTime", s -> {
            Selector selector = s.selector();
            var pipe = s.provider.openPipe();
            s.keep(pipe.source());
            s.keep(pipe.sink()).configureBlocking(false);
            return awaitChanges(s, selector, pipe.sink().register(selector, 0), OP_WRITE);
        });
        cases.put("wakeup_before", s -> {
            Selector selector = s.selector();
            selector.wakeup().wakeup();
            return selector.select();
        });
        cases.put("wakeup_blocked_noKeys", s -> {
            Selector selector = s.selector();
            return s.blocked(selector::select, _ -> selector.wakeup());
        });
        cases.put("wakeup_blocked_withKeys", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_READ);
            nonBlocking(s.pair().server()).register(selector, OP_READ);
            return s.blocked(selector::select, _ -> selector.wakeup());
        });
        cases.put("interrupt_blocked", s -> {
            Selector selector = s.selector();
            return s.blocked(selector::select, Thread::interrupt) + selector.isOpen();
        });
        cases.put("interrupted_before", s -> {
            Thread.currentThread().interrupt();
            int selected = s.selector().select();
            return selected + " " + Thread.interrupted();
        });
        cases.put("close_blocked", s -> {
            Selector selector = s.selector();
            return s.blocked(selector::select, _ -> selector.close());
        });
        cases.put("data_blocked", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            nonBlocking(pair.client()).register(selector, OP_READ);
            return s.blocked(selector::select, _ -> pair.server().write(Stage.text("x")));
        });
        cases.put("data_blocked_serverSide", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            nonBlocking(pair.server()).register(selector, OP_READ);
            return s.blocked(selector::select, _ -> pair.client().write(Stage.text("x")));
        });
        cases.put("registerWhileBlocked_thenWakeup_found", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            nonBlocking(pair.client());
            String first = s.blocked(selector::select, _ -> {
                pair.client().register(selector, OP_WRITE);
                selector.wakeup();
            });
            selector.selectNow();
            return first.length() + " " + selector.selectedKeys().size();
        });
    }

    private static void foreign(Map<String, Stage.Body> cases) {
        cases.put("bytesTakenByAnotherThread_selectIsNotEmpty", s -> {
            Stage.Pair pair = s.pair();
            Selector selector = s.selector();
            nonBlocking(pair.client()).register(selector, OP_READ);
            int all = 400;
            AtomicInteger taken = new AtomicInteger();
            s.submit(() -> {
                for (int i = 0; i < all; i++) {
                    pair.server().write(Stage.text("x"));
                    while (taken.get() <= i) {
                        taken.addAndGet(Math.max(0, pair.client().read(ByteBuffer.allocate(1))));
                    }
                }
                return selector.wakeup();
            });
            int empty = 0;
            while (taken.get() < all) {
                int found = selector.select();
                selector.selectedKeys().clear();
                empty += found == 0 && taken.get() < all ? 1 : 0;
            }
            return empty;
        });
        cases.put("pipeAndDatagrams_inOneSelector", s -> {
            Selector selector = s.selector();
            var pipe = s.provider.openPipe();
            s.keep(pipe.sink());
            s.keep(pipe.source()).configureBlocking(false);
            SelectionKey source = pipe.source().register(selector, OP_READ, "pipe");
            var datagrams = s.keep(s.provider.openDatagramChannel());
            datagrams.bind(Stage.anyPort()).configureBlocking(false);
            SelectionKey key = datagrams.register(selector, OP_READ);
            nonBlocking(s.pair().client()).register(selector, OP_READ);
            pipe.sink().write(Stage.text("x"));
            int first = Stage.await(selector, source, OP_READ);
            datagrams.send(Stage.text("y"), datagrams.getLocalAddress());
            return List.of(
                    first,
                    Stage.await(selector, key, OP_READ),
                    source.attachment(),
                    datagrams.keyFor(selector) == key,
                    datagrams.isRegistered());
        });
        cases.put("pipe_closed_keyIsForgotten", s -> {
            Selector selector = s.selector();
            var pipe = s.provider.openPipe();
            s.keep(pipe.sink());
            pipe.source().configureBlocking(false);
            SelectionKey source = pipe.source().register(selector, OP_READ);
            pipe.source().close();
            selector.selectNow();
            return List.of(source.isValid(), selector.keys().size());
        });
        cases.put("pipe_wakesSelectorWithStreams", s -> {
            Selector selector = s.selector();
            nonBlocking(s.pair().client()).register(selector, OP_READ);
            var pipe = s.provider.openPipe();
            s.keep(pipe.source()).configureBlocking(false);
            pipe.source().register(selector, OP_READ);
            return s.blocked(selector::select, _ -> s.keep(pipe.sink()).write(Stage.text("x")));
        });
    }
}
