// A file system in memory, as Go's programs for pages want it in globalThis.fs. Nothing of it leaves the worker but what files() returns.

const [READ, WRITE, CREATE, TRUNCATE, APPEND, EXCLUSIVE, FOLDER] = [0, 1, 64, 512, 1024, 128, 65536];

// fault makes an error that Go knows by its code.
const fault = (code) => Object.assign(new Error(code), { code });

// A Disk is a tree of folders (maps) and files (bytes with a length).
export class Disk {
  constructor() {
    this.count = 1;
    this.root = this.node(true);
    this.open = new Map(); // by number
    this.next = 3;
    this.changes = 0;
  }

  node(folder) {
    const now = Date.now();
    return { folder, ino: this.count++, at: now, names: folder ? new Map() : null, bytes: folder ? null : new Uint8Array(0), length: 0, change: 0 };
  }

  // find returns the node at a path, and its folder with its name there.
  find(path) {
    const parts = [];
    for (const p of String(path).split("/")) {
      if (p === "..") parts.pop();
      else if (p && p !== ".") parts.push(p);
    }
    let parent = null;
    let node = this.root;
    let name = "";
    for (const [i, p] of parts.entries()) {
      if (!node) throw fault("ENOENT");
      if (!node.folder) throw fault("ENOTDIR");
      [parent, name, node] = [node, p, node.names.get(p)];
      if (!node && i < parts.length - 1) throw fault("ENOENT");
    }
    return { parent, name, node };
  }

  there(path) {
    const found = this.find(path);
    if (!found.node) throw fault("ENOENT");
    return found;
  }

  touch(node) {
    node.at = Date.now();
    node.change = ++this.changes;
  }

  stat(node) {
    const times = { atimeMs: node.at, mtimeMs: node.at, ctimeMs: node.at };
    return { dev: 1, ino: node.ino, mode: node.folder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size: node.length, blksize: 4096, blocks: Math.ceil(node.length / 512), ...times, isDirectory: () => node.folder };
  }

  resize(node, length) {
    if (length > node.bytes.length) {
      const more = new Uint8Array(Math.max(length, 2 * node.bytes.length, 1024));
      more.set(node.bytes.subarray(0, node.length));
      node.bytes = more;
    } else if (length < node.length) node.bytes.fill(0, length, node.length);
    node.length = length;
    this.touch(node);
  }

  // put writes a file, and makes the folders above it.
  put(path, bytes) {
    const parts = path.split("/").filter(Boolean);
    let node = this.root;
    for (const p of parts.slice(0, -1)) {
      if (!node.names.has(p)) node.names.set(p, this.node(true));
      node = node.names.get(p);
    }
    const name = parts.at(-1);
    const file = node.names.get(name) ?? this.node(false);
    node.names.set(name, file);
    [file.bytes, file.length] = [bytes, bytes.length];
    this.touch(file);
  }

  // files returns copies of the files below a folder that changed after a count of changes.
  files(path, after) {
    const found = [];
    const walk = (node, at) => {
      for (const [name, n] of node.names) {
        if (n.folder) walk(n, at + "/" + name);
        else if (n.change > after) found.push({ path: at + "/" + name, bytes: n.bytes.slice(0, n.length) });
      }
    };
    try {
      const { node } = this.find(path);
      if (node?.folder) walk(node, path);
    } catch {
      // there is no such folder yet
    }
    return found;
  }

  // remove removes all below a folder.
  remove(path) {
    try {
      const { parent, name } = this.there(path);
      parent?.names.delete(name);
    } catch {
      // there is none
    }
  }

  // fs is what Go calls. Every function takes a callback at its end. log takes what the program prints.
  fs(log) {
    const back = (do_) => (...args) => {
      const done = args.pop();
      let result;
      try {
        result = do_(...args);
      } catch (e) {
        done(e);
        return;
      }
      done(null, result);
    };
    const of = (fd) => {
      const f = this.open.get(fd);
      if (!f) throw fault("EBADF");
      return f;
    };
    const decoder = new TextDecoder();
    const write = (fd, buffer, offset, length, position) => {
      if (fd < 3) {
        log(decoder.decode(buffer.subarray(offset, offset + length)));
        return length;
      }
      const f = of(fd);
      const at = position ?? (f.append ? f.node.length : f.at);
      if (at + length > f.node.length) this.resize(f.node, at + length);
      f.node.bytes.set(buffer.subarray(offset, offset + length), at);
      if (position === null || position === undefined) f.at = at + length;
      this.touch(f.node);
      return length;
    };
    const no = back(() => {
      throw fault("ENOSYS");
    });
    const nothing = back(() => undefined);
    return {
      constants: { O_RDONLY: READ, O_WRONLY: WRITE, O_RDWR: 2, O_CREAT: CREATE, O_TRUNC: TRUNCATE, O_APPEND: APPEND, O_EXCL: EXCLUSIVE, O_DIRECTORY: FOLDER },
      writeSync: (fd, buffer) => write(fd, buffer, 0, buffer.length, null),
      write: back(write),
      read: back((fd, buffer, offset, length, position) => {
        const f = of(fd);
        const at = position ?? f.at;
        const n = Math.max(0, Math.min(length, f.node.length - at));
        buffer.set(f.node.bytes.subarray(at, at + n), offset);
        if (position === null || position === undefined) f.at = at + n;
        return n;
      }),
      open: back((path, flags) => {
        let { parent, name, node } = this.find(path);
        if (node && flags & CREATE && flags & EXCLUSIVE) throw fault("EEXIST");
        if (!node) {
          if (!(flags & CREATE)) throw fault("ENOENT");
          node = this.node(false);
          parent.names.set(name, node);
          this.touch(node);
        }
        if (node.folder && flags & 3) throw fault("EISDIR");
        if (!node.folder && flags & FOLDER) throw fault("ENOTDIR");
        if (flags & TRUNCATE && !node.folder) this.resize(node, 0);
        this.open.set(this.next, { node, at: 0, append: !!(flags & APPEND) });
        return this.next++;
      }),
      close: back((fd) => void this.open.delete(fd)),
      fstat: back((fd) => this.stat(of(fd).node)),
      stat: back((path) => this.stat(this.there(path).node)),
      lstat: back((path) => this.stat(this.there(path).node)),
      mkdir: back((path) => {
        const { parent, name, node } = this.find(path);
        if (node) throw fault("EEXIST");
        parent.names.set(name, this.node(true));
      }),
      readdir: back((path) => {
        const { node } = this.there(path);
        if (!node.folder) throw fault("ENOTDIR");
        return [...node.names.keys()];
      }),
      unlink: back((path) => {
        const { parent, name, node } = this.there(path);
        if (node.folder) throw fault("EISDIR");
        parent.names.delete(name);
      }),
      rmdir: back((path) => {
        const { parent, name, node } = this.there(path);
        if (!node.folder) throw fault("ENOTDIR");
        if (node.names.size || !parent) throw fault("ENOTEMPTY");
        parent.names.delete(name);
      }),
      rename: back((from, to) => {
        const old = this.there(from);
        const now = this.find(to);
        if (now.node?.folder && now.node.names.size) throw fault("ENOTEMPTY");
        old.parent.names.delete(old.name);
        now.parent.names.set(now.name, old.node);
        this.touch(old.node);
      }),
      truncate: back((path, length) => this.resize(this.there(path).node, length)),
      ftruncate: back((fd, length) => this.resize(of(fd).node, length)),
      fsync: nothing, chmod: nothing, fchmod: nothing, chown: nothing, fchown: nothing, lchown: nothing, utimes: nothing,
      readlink: back(() => {
        throw fault("EINVAL");
      }),
      link: no, symlink: no,
    };
  }
}
