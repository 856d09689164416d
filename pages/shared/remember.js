// What this browser remembers of how its owner likes the pages. Some browsers keep nothing: then it
// holds until the page is closed.

const PREFIX = "topple-table.";

export function recall(key) {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

// Whether it will be remembered.
export function keep(key, value) {
  try {
    localStorage.setItem(PREFIX + key, value);
    return true;
  } catch {
    return false;
  }
}
