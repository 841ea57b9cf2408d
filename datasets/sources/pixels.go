package sources

// An image of a handwritten digit has digitSide rows of digitSide pixels.
const (
	digitSide   = 28
	digitPixels = digitSide * digitSide
)

// shades are the values k/255 of the bytes k of pixels.
var shades = func() (s [256]float64) {
	for k := range s {
		s[k] = float64(k) / 255
	}
	return s
}()

// shade writes the values of pixels, in [0, 1], to x.
func shade(x []float64, pixels []byte) {
	for j, p := range pixels {
		x[j] = shades[p]
	}
}

// Colour pictures of 32 by 32 pixels, three planes of bytes a picture.
const (
	pictureSide   = 32
	picturePixels = pictureSide * pictureSide
	pictureBytes  = 3 * picturePixels
)

// greyNote says how colour pictures became grey.
const greyNote = "grey is 0.2989 red + 0.5870 green + 0.1140 blue, unrounded, over 255"

// grey are the shares of red, green and blue in the grey of a picture, as in rgb2gray of MATLAB and ITU-R BT.601.
var grey = [3]float64{0.2989, 0.5870, 0.1140}

// shadePicture writes the grey values of a picture, in [0, 1] and row by row, to x. Its planes are red, green and
// blue; turned says that they are column by column.
func shadePicture(x []float64, picture []byte, turned bool) {
	for i := range x {
		at := i
		if turned {
			at = i%pictureSide*pictureSide + i/pictureSide
		}
		v := 0.0
		for c, share := range grey {
			v += float64(share * float64(picture[c*picturePixels+at]))
		}
		x[i] = v / 255
	}
}
