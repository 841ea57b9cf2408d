// The script of a page of the documentation without figures.

import "./pages.js";
import { search } from "./search.js";

search();
