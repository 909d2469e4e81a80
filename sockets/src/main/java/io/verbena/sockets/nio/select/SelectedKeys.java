package io.verbena.sockets.nio.select;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** The selected keys: a program can remove them and not add any. */
public final class SelectedKeys extends AbstractSet<SelectionKey> {

    private final Set<SelectionKey> keys = new HashSet<>();

    public void put(SelectionKey key) {
        keys.add(key);
    }

    public void forget(SelectionKey key) {
        keys.remove(key);
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return keys.iterator();
    }

    @Override
    public int size() {
        return keys.size();
    }

    @Override
    public boolean contains(Object key) {
        return keys.contains(key);
    }

    @Override
    public boolean remove(Object key) {
        return keys.remove(key);
    }

    @Override
    public void clear() {
        keys.clear();
    }
}
